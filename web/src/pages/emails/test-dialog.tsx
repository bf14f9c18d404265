import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMe } from '../../api/me.ts';
import { environmentSearch, PRODUCTION, type Scope } from '../../shell/waitlist-scope.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { type MailKind, mailsKey, sendTestMail, type TemplateTexts } from './mails.ts';

interface TestDialogProps {
  scope: Scope;
  kind: MailKind;
  draft: TemplateTexts;
  onClose: () => void;
}

/** Sends the text as it is now, saved or not. */
export function TestDialog({ scope, kind, draft, onClose }: TestDialogProps) {
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
          ? 'Sends this text with example values, from production.'
          : `Records this text with example values. Emails in ${scope.environment} are kept, not sent.`
      }
      action="Send test"
      onClose={onClose}
      onSubmit={async () => {
        const { id } = await sendTestMail(scope, kind, to.trim(), draft);
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
