import { useQuery, useQueryClient } from '@tanstack/react-query';
import { MailWarning, Send } from 'lucide-react';
import { useState } from 'react';
import { instanceQuery } from '../../api/instance.ts';
import { watchJob } from '../../api/jobs.ts';
import { MAIL_KINDS, type MailKind } from '../../api/mail-choices.ts';
import { mailStatusQuery } from '../../api/mail-status.ts';
import { useMay } from '../../api/me.ts';
import { PRODUCTION, type Scope } from '../../shell/waitlist-scope.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { number } from '../../ui/number.ts';
import { Select } from '../../ui/select.tsx';
import { toast } from '../../ui/toast.tsx';
import { kindName } from './mail-names.ts';
import { mailsKey, sendKept } from './mails.ts';

const ALL = 'all';
const KINDS = [
  { value: ALL, label: 'All kinds' },
  ...MAIL_KINDS.map((kind) => ({ value: kind as string, label: kindName(kind) })),
];

/** Emails that were kept, once there is a mail server to send them. Nothing otherwise. */
export function KeptNotice({ scope }: { scope: Scope }) {
  const { data: instance } = useQuery(instanceQuery);
  const { data: status } = useQuery(mailStatusQuery(scope));
  const maySend = useMay('admin');
  const [asking, setAsking] = useState(false);
  if (scope.environment !== PRODUCTION || instance?.emails.smtp !== 'configured' || !status?.kept)
    return null;
  const count = `${number(status.kept)}${status.keptMore ? '+' : ''}`;
  const emails = `${count} kept ${status.kept === 1 ? 'email' : 'emails'}`;
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 rounded-md bg-warn-soft px-3 py-2.5 text-warn">
      <p className="flex min-w-0 flex-1 basis-64 gap-2.5">
        <MailWarning className="mt-0.75 size-4 shrink-0" aria-hidden />
        <span>
          <span className="font-medium">
            {count} {status.kept === 1 ? 'email was' : 'emails were'} not sent
          </span>{' '}
          while there was no mail server.{maySend ? '' : ' An admin can send them now.'}
        </span>
      </p>
      {maySend && (
        <Button icon={<Send aria-hidden />} onClick={() => setAsking(true)}>
          Send the {emails}
        </Button>
      )}
      {asking && <SendKeptDialog scope={scope} emails={emails} onClose={() => setAsking(false)} />}
    </div>
  );
}

function SendKeptDialog({ scope, emails, onClose }: { scope: Scope; emails: string; onClose: () => void }) {
  const client = useQueryClient();
  const [kind, setKind] = useState(ALL);
  return (
    <FormDialog
      title={`Send the ${emails}?`}
      about="Each person gets what still makes sense, once. Invites that have ended, people who were removed or erased, addresses that bounced or unsubscribed, and emails that a newer one replaces are left out. The log shows the reason."
      action="Send emails"
      onClose={onClose}
      onSubmit={async () => {
        watchJob(client, scope, await sendKept(scope, kind === ALL ? {} : { kind: kind as MailKind }));
        await Promise.all([
          client.invalidateQueries({ queryKey: mailStatusQuery(scope).queryKey }),
          client.invalidateQueries({ queryKey: mailsKey(scope) }),
        ]);
        onClose();
        toast('Sending kept emails');
      }}
    >
      {(problem) => (
        <Field label="Kind" error={problem('kind')}>
          <Select label="Kind" value={kind} onChange={setKind} options={KINDS} />
        </Field>
      )}
    </FormDialog>
  );
}
