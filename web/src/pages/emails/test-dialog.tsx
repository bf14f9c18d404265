import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { MailKind } from '../../api/mail-choices.ts';
import { useMe } from '../../api/me.ts';
import { environmentSearch, PRODUCTION, type Scope } from '../../shell/waitlist-scope.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { LANGUAGE_OPTIONS } from './mail-names.ts';
import { mailsKey, type PreviewRequest, sendTestMail } from './mails.ts';

interface TestDialogProps {
  scope: Scope;
  kind: MailKind;
  /** What the preview shows. */
  shown: PreviewRequest;
  onClose: () => void;
}

/** Sends what the preview shows, saved or not. */
export function TestDialog({ scope, kind, shown, onClose }: TestDialogProps) {
  const { email } = useMe();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [to, setTo] = useState(email);
  const [sent, setSent] = useState<string | null>(null);
  if (sent !== null)
    return (
      <Dialog
        open
        onClose={onClose}
        title="Test email recorded"
        about={`To ${to}. The log shows whether it was sent or kept.`}
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
