import { useQuery } from '@tanstack/react-query';
import { CircleAlert } from 'lucide-react';
import { useCommands } from '../../api/commands.ts';
import { healthQuery } from '../../api/health.ts';
import { instanceQuery } from '../../api/instance.ts';
import { useMay } from '../../api/me.ts';
import { PRODUCTION } from '../../shell/waitlist-scope.ts';
import { Alert } from '../../ui/alert.tsx';
import { capitalize } from '../../ui/capitalize.ts';
import { CodeBlock } from '../../ui/code-block.tsx';

const VARIABLES = [
  "DOORLIST_SMTP_URL='smtp://user:password@mail.example.com:587'",
  "DOORLIST_MAIL_FROM='hello@example.com'",
];

interface SendingNoticeProps {
  environment: string;
  /** Whose emails it is about. Without one, those of all. */
  waitlistId?: string | undefined;
}

/** Why emails are not sent, and how to change that. Nothing where they are. */
export function SendingNotice({ environment, waitlistId }: SendingNoticeProps) {
  const { data } = useQuery(instanceQuery);
  const { start, note } = useCommands();
  if (environment !== PRODUCTION)
    return (
      <Alert tone="info">
        Emails in {environment} are never sent. They are kept, so that you can look at them.
      </Alert>
    );
  if (data?.emails.smtp !== 'none') return <PauseNotice waitlistId={waitlistId} />;
  return (
    <details className="group rounded-md bg-warn-soft text-warn">
      <summary className="flex cursor-pointer gap-2.5 rounded-md px-3 py-2.5">
        <CircleAlert className="mt-0.75 size-4 shrink-0" aria-hidden />
        <span className="flex min-w-0 flex-wrap gap-x-2">
          <span className="font-medium">No mail server yet.</span>
          <span>Emails are kept in the mailbox and not sent.</span>
          <span className="underline underline-offset-4 group-open:hidden">Set one up</span>
        </span>
      </summary>
      <div className="flex flex-col gap-3 px-3 pb-3">
        <p>
          {start === null
            ? 'Set the address of your mail server and a sender where the variables of the server are, and restart it:'
            : 'Stop the server, and start it as before, with the address of your mail server and a sender:'}
        </p>
        <div className="text-ink">
          <CodeBlock
            label="Start with a mail server"
            snippets={[
              {
                language: 'Shell',
                code: start === null ? VARIABLES.join('\n') : `${note}${[...VARIABLES, start].join(' \\\n')}`,
              },
            ]}
          />
        </div>
      </div>
    </details>
  );
}

/** Why sending is paused, in the words of the mail server. */
function PauseNotice({ waitlistId }: Pick<SendingNoticeProps, 'waitlistId'>) {
  const mayKnow = useMay('support');
  const { data } = useQuery({ ...healthQuery, enabled: mayKnow });
  const isOfAnother = (link = '') =>
    waitlistId !== undefined &&
    link.startsWith('/waitlists/') &&
    !link.startsWith(`/waitlists/${waitlistId}/`);
  const pauses =
    data?.findings.filter(({ what, ok, link }) => what === 'sending emails' && !ok && !isOfAnother(link)) ??
    [];
  return pauses.map(({ detail }) => (
    <Alert key={detail} tone="danger" title="Sending is paused">
      {capitalize(detail)}
    </Alert>
  ));
}
