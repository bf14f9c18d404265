import type { ReactNode } from 'react';
import type { Live } from '../../api/live.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { number } from '../../ui/number.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import type { Statistics } from './statistics-query.ts';

/** The stream counts no further. */
const COUNTED_MAX = 1_000;

/** Whether webhooks and emails get through. */
export function DeliveryCard({
  statistics,
  live,
}: {
  statistics: Statistics | undefined;
  live: Live['delivery'];
}) {
  return (
    <Card title="Deliveries" about="In this period.">
      {statistics ? (
        <dl className="flex flex-col gap-3 text-sm">
          <Row label="Webhooks" waiting={live?.webhooks.pending} failed={statistics.webhooks.failed}>
            {number(statistics.webhooks.delivered)} delivered
          </Row>
          <Row label="Emails" waiting={live?.emails.pending} failed={statistics.emails.failed}>
            {number(statistics.emails.sent)} sent
            {statistics.emails.kept > 0 && `, ${number(statistics.emails.kept)} kept`}
          </Row>
        </dl>
      ) : (
        <Skeleton className="h-14" />
      )}
    </Card>
  );
}

interface RowProps {
  label: string;
  waiting: number | undefined;
  failed: number;
  children: ReactNode;
}

function Row({ label, waiting, failed, children }: RowProps) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-2">
      <dt className="text-mute">{label}</dt>
      <dd className="flex flex-wrap items-center gap-2 tabular-nums">
        <span className="font-medium">{children}</span>
        {waiting !== undefined && waiting > 0 && (
          <Badge tone="sky">
            {number(waiting)}
            {waiting >= COUNTED_MAX && '+'} waiting
          </Badge>
        )}
        {failed > 0 && <Badge tone="danger">{number(failed)} failed</Badge>}
      </dd>
    </div>
  );
}
