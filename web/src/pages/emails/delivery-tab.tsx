import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useMay } from '../../api/me.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { Alert } from '../../ui/alert.tsx';
import { Button } from '../../ui/button.tsx';
import { capitalize } from '../../ui/capitalize.ts';
import { Card, Stat, Stats } from '../../ui/card.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { number } from '../../ui/number.ts';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { toast } from '../../ui/toast.tsx';
import { LimitsDialog } from './limits-dialog.tsx';
import { changeSending, limitInWords, type Sending, type SendingChanges, sendingQuery } from './sending.ts';
import { WarmUpCard } from './warm-up-card.tsx';

/** The API counts no further. */
const WAITING_MAX = 10_000;
const countedTo = (most: number, count: number) => `${number(count)}${count >= most ? '+' : ''}`;

/** How many emails bounce, and what follows from it. */
export default function DeliveryTab({ scope }: { scope: Scope }) {
  const client = useQueryClient();
  const mayManage = useMay('admin');
  const query = useQuery(sendingQuery(scope));
  const [dialog, setDialog] = useState<'limits' | 'resume'>();
  const sending = query.data;
  const save = async (changes: SendingChanges, etag?: string) => {
    const saved = await changeSending(scope, changes, etag);
    client.setQueryData(sendingQuery(scope).queryKey, saved);
    return saved;
  };
  return (
    <QueryProblem framed query={query}>
      <div className="flex flex-col gap-6">
        {scope.environment !== 'production' && (
          <Alert tone="info">Only emails of production are sent. This page is about them.</Alert>
        )}
        {sending?.paused && (
          <Paused sending={sending} onResume={mayManage ? () => setDialog('resume') : undefined} />
        )}
        <Stats>
          <Stat label="Sent" value={sending?.sent} about={sending && <Since sending={sending} />} />
          <Stat
            label="Hard bounces"
            value={sending?.bounced}
            about={sending && limitInWords(sending.bounceRate, sending.bouncePercent)}
          />
          <Stat
            label="Spam complaints"
            value={sending?.complained}
            about={sending && limitInWords(sending.complaintRate, sending.complaintPercent)}
          />
          <Stat
            label="Waiting"
            value={sending && countedTo(WAITING_MAX, sending.waiting)}
            about="Held back for now"
          />
        </Stats>
        <Card
          title="Limits"
          actions={mayManage && sending && <Button onClick={() => setDialog('limits')}>Change limits</Button>}
        >
          <p className="max-w-prose text-sm text-mute">
            Above a limit, invites, reminders and emails about moving up wait, and waves pause. Emails that
            people wait for, such as confirmations, are still sent. A limit counts from 50 sent emails and 5
            reports on.
          </p>
        </Card>
        {sending && <WarmUpCard scope={scope} sending={sending} mayManage={mayManage} onSave={save} />}
      </div>
      {sending && dialog === 'limits' && (
        <LimitsDialog scope={scope} sending={sending} onClose={() => setDialog(undefined)} onSave={save} />
      )}
      <ConfirmDialog
        open={dialog === 'resume'}
        onClose={() => setDialog(undefined)}
        title="Resume sending?"
        about="Waiting emails are sent and waves go on. Counting starts anew, so bounces and complaints so far no longer count."
        action="Resume sending"
        onConfirm={async () => {
          await save({ paused: false });
          toast('Sending resumed');
        }}
      />
    </QueryProblem>
  );
}

function Since({ sending: { since } }: { sending: Sending }) {
  const days = Math.round((Date.now() - Date.parse(since)) / 86_400_000);
  return days >= 7 ? (
    'In the last 7 days'
  ) : (
    <>
      Resumed <RelativeTime at={since} />
    </>
  );
}

function Paused({ sending, onResume }: { sending: Sending; onResume: (() => void) | undefined }) {
  const { pauseReason, pausedAt, waiting } = sending;
  return (
    <Alert tone="warn" title="Sending is paused">
      <p>
        {capitalize(pauseReason ?? '')}.{' '}
        {pausedAt && (
          <>
            Paused <RelativeTime at={pausedAt} />.{' '}
          </>
        )}
        {waiting > 0 &&
          `${countedTo(WAITING_MAX, waiting)} ${waiting === 1 ? 'email waits' : 'emails wait'}. `}
        Sending goes on by itself when the rate is below the limit.
      </p>
      {onResume && (
        <div className="pt-2">
          <Button onClick={onResume}>Resume now</Button>
        </div>
      )}
    </Alert>
  );
}
