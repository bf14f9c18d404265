import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CircleAlert, CircleCheck, Info, RefreshCw } from 'lucide-react';
import type { Schemas } from '../../api/client.ts';
import { environmentSearch, type Scope } from '../../shell/waitlist-scope.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { cx } from '../../ui/cx.ts';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { withCode } from '../../ui/with-code.tsx';
import { senderCheckQuery } from './mails.ts';

type Finding = Schemas['SenderFinding'];

const STATES = {
  ok: { icon: CircleCheck, label: 'Fine', tone: 'text-mute', mark: 'text-accent' },
  problem: { icon: CircleAlert, label: 'Problem', tone: 'text-danger', mark: 'text-danger' },
  unchecked: { icon: Info, label: 'Not checked', tone: 'text-mute', mark: 'text-mute' },
} satisfies Record<Finding['state'], object>;

const NAMES: Record<Finding['check'], string> = {
  spf: 'SPF',
  dkim: 'DKIM',
  dmarc: 'DMARC',
  alignment: 'Alignment',
  bounces: 'Bounces',
  unsubscribe: 'Unsubscribe link',
};
const CHECKS = Object.keys(NAMES);

/** Whether receivers find what they ask of a sender. Loads by itself: the DNS may be slow. */
export function SenderCheckCard({ scope }: { scope: Scope }) {
  const query = useQuery(senderCheckQuery(scope));
  const { data } = query;
  return (
    <Card
      flush
      title="Sender check"
      about={
        data ? (
          <>
            <span className="break-all">{data.from}</span>
            {data.mailServer && (
              <>
                , checked <RelativeTime at={new Date(query.dataUpdatedAt).toISOString()} />
              </>
            )}
          </>
        ) : (
          'Looks up what receivers look up. Takes a few seconds.'
        )
      }
      actions={
        data?.mailServer && (
          <>
            <Link
              to="/waitlists/$waitlistId/emails/$kind"
              params={{ waitlistId: scope.waitlistId, kind: 'invite' }}
              search={environmentSearch(scope.environment)}
              className={buttonClass()}
            >
              Send a test
            </Link>
            <Button icon={<RefreshCw aria-hidden />} busy={query.isFetching} onClick={() => query.refetch()}>
              Check again
            </Button>
          </>
        )
      }
    >
      <QueryProblem query={query}>
        {data ? data.mailServer ? <Findings findings={data.findings} /> : <NoMailServer /> : <Loading />}
      </QueryProblem>
    </Card>
  );
}

function NoMailServer() {
  return <p className="border-t px-5 py-4 text-mute">Nothing is checked until there is a mail server.</p>;
}

function Findings({ findings }: { findings: readonly Finding[] }) {
  return (
    <ul aria-label="Sender check" className="flex flex-col border-t">
      {findings.map(({ check, state, detail, fix }) => {
        const { icon: Icon, label, tone, mark } = STATES[state];
        return (
          <li key={check} className="flex items-start gap-3 border-b px-5 py-3 last:border-0">
            <Icon className={cx('mt-0.75 size-4 shrink-0', mark)} aria-label={label} />
            <div className="grid min-w-0 flex-1 gap-x-4 md:grid-cols-[9rem_1fr]">
              <span className="font-medium">{NAMES[check]}</span>
              <div className="flex flex-col gap-1 wrap-anywhere">
                <p className={tone}>{withCode(detail)}</p>
                {fix !== null && <p>{withCode(fix)}</p>}
              </div>
            </div>
          </li>
        );
      })}
    </ul>
  );
}

function Loading() {
  return (
    <ul role="status" aria-label="Checking the sender" className="border-t">
      {CHECKS.map((check) => (
        <li key={check} className="flex items-start gap-3 border-b px-5 py-3 last:border-0">
          <Skeleton className="mt-0.75 size-4 rounded-full" />
          <span className="grid flex-1 gap-x-4 md:grid-cols-[9rem_1fr]">
            <Skeleton className="my-1 h-3.5 w-16" />
            <Skeleton className="my-1 h-3.5 w-3/5" />
          </span>
        </li>
      ))}
    </ul>
  );
}
