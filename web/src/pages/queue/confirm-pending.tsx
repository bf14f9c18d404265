import { useQuery, useQueryClient } from '@tanstack/react-query';
import { MailCheck } from 'lucide-react';
import { useState } from 'react';
import { api, call, type Schemas } from '../../api/client.ts';
import { people, peopleKey } from '../../api/entries.ts';
import { type Job, watchJob } from '../../api/jobs.ts';
import { whyNotMailed } from '../../api/mail-status.ts';
import { useMay } from '../../api/me.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { Alert } from '../../ui/alert.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { toast } from '../../ui/toast.tsx';
import { useAct } from '../../ui/use-act.ts';

type Preview = Schemas['ConfirmationsPreview'];

/** Sends everyone who is pending another link to confirm their address. */
export function ConfirmPending({ scope }: { scope: Scope }) {
  const may = useMay('admin');
  const [asking, setAsking] = useState(false);
  if (!may) return null;
  return (
    <>
      <Button size="sm" icon={<MailCheck aria-hidden />} onClick={() => setAsking(true)}>
        Send confirmations again
      </Button>
      {asking && <ConfirmPendingDialog scope={scope} onClose={() => setAsking(false)} />}
    </>
  );
}

function ConfirmPendingDialog({ scope, onClose }: { scope: Scope; onClose: () => void }) {
  const client = useQueryClient();
  const { waitlistId, environment } = scope;
  const params = { path: { waitlistId }, query: { environment } };
  const path = '/admin/v1/waitlists/{waitlistId}/mails/confirmations';
  const query = useQuery({
    queryKey: [...peopleKey(scope), 'confirmations'],
    queryFn: async () =>
      (await call(api.POST(path, { params, body: { dryRun: true } }))) as unknown as Preview,
    gcTime: 0,
  });
  const { run, busy, error } = useAct(async () => {
    watchJob(client, scope, (await call(api.POST(path, { params, body: {} }))) as Job);
    onClose();
    toast('Sending confirmations again');
  });
  const preview = query.data;
  const why = preview && whyNotMailed(preview.mailable);
  const refused = preview?.mailable.reason === 'kind_off' || preview?.mailable.reason === 'no_mail_server';
  return (
    <Dialog
      open
      onClose={onClose}
      title="Send confirmations again?"
      about={`Everyone who is pending in ${environment} gets another link to confirm their email address.`}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="primary"
            busy={busy}
            disabled={!preview || preview.asked === 0 || refused}
            onClick={() => void run()}
          >
            {preview && preview.asked > 0 && !refused ? `Send ${people(preview.asked)} a link` : 'Send'}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {error && <Alert>{error.sentence}</Alert>}
        {why !== undefined && (
          <Alert tone="warn" title={refused ? `Nothing can be sent: ${why}` : `Not emailed: ${why}`}>
            {preview?.mailable.message}
          </Alert>
        )}
        {!refused && (
          <QueryProblem query={query}>
            {preview ? <Counts preview={preview} /> : <Skeleton className="h-16" />}
          </QueryProblem>
        )}
      </div>
    </Dialog>
  );
}

function Counts({ preview: { asked, withoutEmail, bounced, recent } }: { preview: Preview }) {
  const left = [
    { count: withoutEmail, about: 'no email address' },
    { count: bounced, about: 'the address bounced' },
    { count: recent, about: 'got one within a day' },
  ].filter(({ count }) => count > 0);
  return (
    <div className="rounded-md px-4 py-3 ring-1 ring-line" role="status">
      <p className="font-medium">
        {asked === 0 ? 'Nobody' : people(asked)} {asked > 1 ? 'get' : 'gets'} an email
      </p>
      {left.map(({ count, about }) => (
        <p key={about} className="text-sm text-mute">
          {people(count)} left out: {about}
        </p>
      ))}
    </div>
  );
}
