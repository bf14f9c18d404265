import { useState } from 'react';
import { MAX } from '../../api/limits.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { CodeBlock, type Snippet } from '../../ui/code-block.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { CopyField } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Select } from '../../ui/select.tsx';
import { toast } from '../../ui/toast.tsx';
import { createKey, type KeyScope, maskedKey, revokeKey, rotateKey, type ServerKey } from './keys.ts';

interface DialogProps {
  scope: KeyScope;
  onClose: () => void;
}

interface MakingProps extends DialogProps {
  onMade: (key: string) => Promise<unknown>;
}

export function CreateKeyDialog({ scope, onClose, onMade }: MakingProps) {
  const [name, setName] = useState('');
  const [canRead, setCanRead] = useState(true);
  const isProduct = scope.waitlistId === null;
  return (
    <FormDialog
      title={isProduct ? 'Create a product key' : 'Create a server key'}
      about={
        isProduct
          ? `Reads and writes every waitlist in ${scope.environment}.`
          : `For ${scope.waitlistId} in ${scope.environment}. Use it on your server, never in a browser or an app.`
      }
      action="Create key"
      onClose={onClose}
      onSubmit={async () => onMade((await createKey(scope, { name, canRead })).key)}
    >
      {(problem) => (
        <>
          <Field label="Name" help="Where it is used, to tell keys apart." error={problem('name')}>
            <Input
              value={name}
              maxLength={MAX.WaitlistKeyRequest.name}
              placeholder="Website backend"
              autoComplete="off"
              onChange={(event) => setName(event.target.value)}
            />
          </Field>
          {!isProduct && (
            <Checkbox
              label="Can read entries"
              help="Grants waitlist:read: look people up and list the queue. Without it, the key only adds signups."
              checked={canRead}
              onChange={setCanRead}
            />
          )}
        </>
      )}
    </FormDialog>
  );
}

const HOUR_MS = 3_600_000;
const OVERLAPS = [
  { value: '0', label: 'Stop at once' },
  { value: String(HOUR_MS), label: 'Keep working for 1 hour' },
  { value: String(24 * HOUR_MS), label: 'Keep working for 24 hours' },
  { value: String(7 * 24 * HOUR_MS), label: 'Keep working for 7 days' },
];

export function RotateKeyDialog({ scope, target, onClose, onMade }: MakingProps & { target: ServerKey }) {
  const [overlap, setOverlap] = useState(String(24 * HOUR_MS));
  return (
    <FormDialog
      title={`Rotate ${maskedKey(target)}`}
      about="Creates a new key with the same permissions. Deploy it while the old one still works."
      action="Rotate key"
      onClose={onClose}
      onSubmit={async () => onMade((await rotateKey(scope, target.id, Number(overlap))).key)}
    >
      {(problem) => (
        <Field label="The old key" error={problem('overlapMs')}>
          <Select label="The old key" value={overlap} onChange={setOverlap} options={OVERLAPS} />
        </Field>
      )}
    </FormDialog>
  );
}

export function RevokeKeyDialog({
  scope,
  target,
  onClose,
  onRevoked,
}: DialogProps & { target: ServerKey; onRevoked: () => Promise<unknown> }) {
  const name = maskedKey(target);
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`Revoke ${name}?`}
      about={`Requests with this key are refused at once in ${scope.environment}. This cannot be undone.`}
      action="Revoke key"
      onConfirm={async () => {
        await revokeKey(scope, target.id);
        await onRevoked();
        toast(`Revoked ${name}`);
      }}
    />
  );
}

/** The only time that the key is shown. */
export function NewKeyDialog({
  secret,
  snippets,
  onClose,
}: {
  secret: string;
  snippets: readonly Snippet[];
  onClose: () => void;
}) {
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title="Copy your key"
      about="It is shown only now. Keep it where you keep passwords."
      actions={
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        <CopyField text={secret} what="key" />
        {snippets.length > 0 && <CodeBlock label="Example" snippets={snippets} />}
      </div>
    </Dialog>
  );
}
