import { useState } from 'react';
import { BASE_PATH } from '../../base-path.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { CopyField } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Select } from '../../ui/select.tsx';
import { toast } from '../../ui/toast.tsx';
import {
  ASKERS,
  type Asker,
  createGateKey,
  deleteGateKey,
  type GateKey,
  type GateScope,
  gateUrl,
  maskedGateKey,
  setSecret,
} from './gate-keys.ts';

interface DialogProps {
  scope: GateScope;
  onClose: () => void;
}

export function CreateGateKeyDialog({
  scope,
  onClose,
  onMade,
}: DialogProps & { onMade: (key: string) => Promise<unknown> }) {
  const [name, setName] = useState('');
  return (
    <FormDialog
      title="Create a gate key"
      about={`Lets only people invited from ${scope.waitlistId} in ${scope.environment} sign up. It can do nothing else.`}
      action="Create key"
      onClose={onClose}
      onSubmit={async () => onMade((await createGateKey(scope, name)).key)}
    >
      {(problem) => (
        <Field label="Name" help="Where it is used, to tell keys apart." error={problem('name')}>
          <Input
            value={name}
            maxLength={100}
            placeholder="Supabase"
            autoComplete="off"
            onChange={(event) => setName(event.target.value)}
          />
        </Field>
      )}
    </FormDialog>
  );
}

/** The only time that the key is shown. */
export function NewGateKeyDialog({ secret, onClose }: { secret: string; onClose: () => void }) {
  const [asker, setAsker] = useState<Asker>('plain');
  const signer = ASKERS.find(({ value, signs }) => value === asker && signs)?.label;
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title="Copy your gate URL"
      about="It is shown only now. Its last part is the key: keep it where you keep passwords."
      actions={
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        <Field label="Who asks">
          <Select label="Who asks" value={asker} onChange={setAsker} options={ASKERS} />
        </Field>
        <CopyField text={gateUrl(secret, asker)} what="URL" />
        <p className="text-sm text-mute">
          {signer &&
            `${signer} signs its requests: add the secret that it shows with “Set secret” in the list. `}
          <a
            href={`${BASE_PATH}/docs/gate`}
            target="_blank"
            rel="noreferrer"
            className="text-accent underline"
          >
            How to set it up
          </a>
        </p>
      </div>
    </Dialog>
  );
}

export function SecretDialog({
  scope,
  target,
  onClose,
  onSaved,
}: DialogProps & { target: GateKey; onSaved: () => Promise<unknown> }) {
  const [secret, setText] = useState('');
  const isRemoval = target.signed && secret.trim() === '';
  return (
    <FormDialog
      title={`Signing secret of ${maskedGateKey(target)}`}
      about="Supabase and WorkOS sign their requests. With their secret, the key answers only signed requests."
      action={isRemoval ? 'Remove secret' : 'Save secret'}
      danger={isRemoval}
      onClose={onClose}
      onSubmit={async () => {
        await setSecret(scope, target.id, isRemoval ? null : secret);
        await onSaved();
        toast(isRemoval ? 'Removed the secret' : 'Saved the secret');
        onClose();
      }}
    >
      {(problem) => (
        <Field
          label="Secret"
          help={target.signed ? 'Replaces the one that is stored. Empty: removes it.' : 'Stored encrypted.'}
          error={problem('secret')}
        >
          <Input
            value={secret}
            required={!target.signed}
            autoComplete="off"
            spellCheck={false}
            className="font-mono text-sm"
            placeholder="v1,whsec_…"
            onChange={(event) => setText(event.target.value)}
          />
        </Field>
      )}
    </FormDialog>
  );
}

export function DeleteGateKeyDialog({
  scope,
  target,
  onClose,
  onDeleted,
}: DialogProps & { target: GateKey; onDeleted: () => Promise<unknown> }) {
  const name = maskedGateKey(target);
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`Delete ${name}?`}
      about={`Where this key is used, nobody can sign up any more in ${scope.environment}. This cannot be undone.`}
      action="Delete key"
      onConfirm={async () => {
        await deleteGateKey(scope, target.id);
        await onDeleted();
        toast(`Deleted ${name}`);
      }}
    />
  );
}
