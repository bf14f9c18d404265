import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { MailKind, MailState } from '../../api/mail-choices.ts';
import { useMe } from '../../api/me.ts';
import { environmentSearch, PRODUCTION, type Scope } from '../../shell/waitlist-scope.ts';
import { Button } from '../../ui/button.tsx';
import { capitalize } from '../../ui/capitalize.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { LANGUAGE_OPTIONS } from './mail-names.ts';
import { mailQuery, mailsKey, type PreviewRequest, sendTestMail } from './mails.ts';

interface TestDialogProps {
  scope: Scope;
  kind: MailKind;
  /** What the preview shows. */
  shown: PreviewRequest;
  onClose: () => void;
}

/** What became of it. A mail server can still return what it took. */
const OUTCOMES: Record<MailState, (to: string) => string> = {
  pending: (to) => `Sending the test to ${to}`,
  sent: (to) => `Sent the test to ${to}`,
  failed: (to) => `The test to ${to} was not sent`,
  kept: (to) => `The test to ${to} was kept, not sent`,
};
const ABOUT: Record<MailState, string> = {
  pending: 'It waits for the mail server.',
  sent: 'The mail server took it.',
  failed: 'The log shows every attempt.',
  kept: 'It is in the log, as it would have been sent.',
};

/** Sends what the preview shows, saved or not. */
export function TestDialog({ scope, kind, shown, onClose }: TestDialogProps) {
  const { email } = useMe();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [to, setTo] = useState(email);
  const [sent, setSent] = useState<string | null>(null);
  const { data: mail } = useQuery({ ...mailQuery(scope, sent ?? ''), enabled: sent !== null });
  if (sent !== null)
    return (
      <Dialog
        open
        onClose={onClose}
        title={<span role="status">{OUTCOMES[mail?.state ?? 'pending'](to)}</span>}
        about={mail?.error ? `${capitalize(mail.error)}.` : ABOUT[mail?.state ?? 'pending']}
        actions={
          <>
            <Button onClick={onClose}>Back to the template</Button>
            <Button
              look="primary"
              onClick={() =>
                void navigate({
                  to: '/waitlists/$waitlistId/emails',
                  params: { waitlistId: scope.waitlistId },
                  search: { ...environmentSearch(scope.environment), tab: 'log', mail: sent },
                })
              }
            >
              Show email
            </Button>
          </>
        }
      />
    );
  return (
    <FormDialog
      title="Send a test"
      about={
        scope.environment === PRODUCTION
          ? `Sends what the preview shows, ${valuesOf(shown)}.`
          : `Records what the preview shows, ${valuesOf(shown)}. Emails in ${scope.environment} are kept, not sent.`
      }
      action="Send test"
      onClose={onClose}
      onSubmit={async () => {
        const { id } = await sendTestMail(scope, kind, to.trim(), shown);
        await client.invalidateQueries({ queryKey: mailsKey(scope) });
        setSent(id);
      }}
    >
      {(problem) => (
        <Field label="To" error={problem('to')}>
          <Input
            required
            type="email"
            autoComplete="email"
            value={to}
            onChange={(event) => setTo(event.target.value)}
          />
        </Field>
      )}
    </FormDialog>
  );
}

function valuesOf({ entry, language }: PreviewRequest): string {
  const name = LANGUAGE_OPTIONS.find(({ value }) => value === language)?.label;
  return `with ${entry === undefined ? 'example values' : `the values of ${entry.slice(0, 100)}`}${name ? `, in ${name}` : ''}`;
}
