import { useState } from 'react';
import type { Schemas } from '../../api/client.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { CopyField } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { exactTime } from '../../ui/relative-time.tsx';
import { Select } from '../../ui/select.tsx';
import { VERIFY_SNIPPETS } from './verify-snippets.ts';
import { rotateSecret, showSecret } from './webhooks.ts';

export interface ShownSecret {
  secret: string;
  about: string;
  previous?: Schemas['WebhookSecrets']['previous'];
}

/** A signing secret in full, and what to do with it. */
export function SecretDialog({ shown, onClose }: { shown: ShownSecret; onClose: () => void }) {
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title="Signing secret"
      about={shown.about}
      actions={
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        <CopyField text={shown.secret} what="secret" />
        {shown.previous?.map(({ secret, endsAt }) => (
          <div key={secret} className="flex flex-col gap-1.5">
            <p className="text-sm text-mute">
              Earlier secret{endsAt ? `, signs until ${exactTime(endsAt)}` : ''}
            </p>
            <CopyField text={secret} what="earlier secret" />
          </div>
        ))}
        <p>
          Put it into <code className="font-mono text-sm">WEBHOOK_SECRET</code> and verify the raw body of
          each delivery:
        </p>
        <CodeBlock label="Verify a delivery" snippets={VERIFY_SNIPPETS} />
      </div>
    </Dialog>
  );
}

interface AskProps {
  scope: Scope;
  endpointId: string;
  onClose: () => void;
  onShown: (shown: ShownSecret) => unknown;
}

const HOUR_MS = 3_600_000;
const OVERLAPS = [
  { value: String(24 * HOUR_MS), label: 'Sign with both for 24 hours' },
  { value: String(HOUR_MS), label: 'Sign with both for 1 hour' },
  { value: String(7 * 24 * HOUR_MS), label: 'Sign with both for 7 days' },
  { value: '0', label: 'Stop using it at once' },
];

export function RotateSecretDialog({ scope, endpointId, onClose, onShown }: AskProps) {
  const [overlap, setOverlap] = useState(String(24 * HOUR_MS));
  return (
    <FormDialog
      title="Rotate the signing secret?"
      about={`Deliveries in ${scope.environment} are signed with a new secret. Deploy it while the old one still signs too.`}
      action="Rotate secret"
      onClose={onClose}
      onSubmit={async () => {
        const { secret, previousEndsAt } = await rotateSecret(scope, endpointId, Number(overlap));
        onShown({
          secret,
          about: previousEndsAt
            ? `Shown only now. The old one signs until ${exactTime(previousEndsAt)}.`
            : 'Shown only now. The old one no longer signs.',
        });
      }}
    >
      {(problem) => (
        <Field label="The old secret" error={problem('overlapMs')}>
          <Select label="The old secret" value={overlap} onChange={setOverlap} options={OVERLAPS} />
        </Field>
      )}
    </FormDialog>
  );
}

export function ShowSecretDialog({ scope, endpointId, onClose, onShown }: AskProps) {
  const [password, setPassword] = useState('');
  return (
    <FormDialog
      title="Show the signing secret"
      about="Enter your password to see it. This is recorded in the audit trail."
      action="Show secret"
      onClose={onClose}
      onSubmit={async () => {
        const { secret, previous } = await showSecret(scope, endpointId, password);
        onShown({ secret, previous, about: 'Keep it where you keep passwords.' });
      }}
    >
      {(problem) => (
        <Field label="Your password" error={problem('password')}>
          <Input
            required
            type="password"
            autoComplete="current-password"
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
        </Field>
      )}
    </FormDialog>
  );
}
