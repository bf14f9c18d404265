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
import { canSign, type HookKey, type HookKind, type HookScope, labelOf, maskedKey } from './hook-keys.ts';

interface DialogProps {
  kind: HookKind;
  scope: HookScope;
  onClose: () => void;
}

/** A key that was created a moment ago. */
export interface MadeKey {
  secret: string;
  caller: string;
}

export function CreateHookKeyDialog({
  kind,
  scope,
  onClose,
  onMade,
}: DialogProps & { onMade: (made: MadeKey) => Promise<unknown> }) {
  const [name, setName] = useState('');
  const [caller, setCaller] = useState('plain');
  return (
    <FormDialog
      title={`Create a ${kind.called}`}
      about={kind.createAbout(scope)}
      action="Create key"
      onClose={onClose}
      onSubmit={async () => onMade({ secret: (await kind.create(scope, name, caller)).key, caller })}
    >
      {(problem) => (
        <>
          {kind.callerOf && (
            <Field label={kind.who} help="The key takes only what they send." error={problem('provider')}>
              <Select label={kind.who} value={caller} onChange={setCaller} options={kind.callers} />
            </Field>
          )}
          <Field label="Name" help="Where it is used, to tell keys apart." error={problem('name')}>
            <Input
              value={name}
              maxLength={100}
              placeholder={kind.namePlaceholder}
              autoComplete="off"
              onChange={(event) => setName(event.target.value)}
            />
          </Field>
        </>
      )}
    </FormDialog>
  );
}

/** The only time that the key is shown. */
export function NewHookKeyDialog({
  kind,
  made,
  onClose,
}: {
  kind: HookKind;
  made: MadeKey;
  onClose: () => void;
}) {
  const [caller, setCaller] = useState(made.caller);
  const signer = canSign(kind, caller) && labelOf(kind, caller);
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={kind.urlTitle}
      about="It is shown only now. Its last part is the key: keep it where you keep passwords."
      actions={
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        {!kind.callerOf && (
          <Field label={kind.who}>
            <Select label={kind.who} value={caller} onChange={setCaller} options={kind.callers} />
          </Field>
        )}
        <CopyField text={kind.urlOf(made.secret, caller)} what="URL" />
        <p className="text-sm text-mute">
          {signer &&
            `${signer} signs its requests: add the secret that it shows with “Set secret” in the list. `}
          <a
            href={`${BASE_PATH}/docs/${kind.guide}`}
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

export function KeySecretDialog({
  kind,
  scope,
  target,
  onClose,
  onSaved,
}: DialogProps & { target: HookKey; onSaved: () => Promise<unknown> }) {
  const [secret, setText] = useState('');
  const isRemoval = target.signed && secret.trim() === '';
  return (
    <FormDialog
      title={`Signing secret of ${maskedKey(kind, target)}`}
      about={kind.secretAbout}
      action={isRemoval ? 'Remove secret' : 'Save secret'}
      danger={isRemoval}
      onClose={onClose}
      onSubmit={async () => {
        await kind.setSecret(scope, target.id, isRemoval ? null : secret);
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
            placeholder={kind.secretPlaceholder}
            onChange={(event) => setText(event.target.value)}
          />
        </Field>
      )}
    </FormDialog>
  );
}

/** Of a key that takes the messages of one topic only. */
export function TopicDialog({
  kind,
  scope,
  target,
  onClose,
  onSaved,
}: DialogProps & { target: HookKey; onSaved: () => Promise<unknown> }) {
  const [topic, setTopic] = useState(kind.topic?.of(target) ?? '');
  const isReset = topic.trim() === '';
  return (
    <FormDialog
      title={`Topic of ${maskedKey(kind, target)}`}
      about="The key takes messages of one topic of Amazon SNS, and refuses those of others."
      action={isReset ? 'Reset topic' : 'Save topic'}
      onClose={onClose}
      onSubmit={async () => {
        await kind.topic?.set(scope, target.id, isReset ? null : topic.trim());
        await onSaved();
        toast(isReset ? 'Reset the topic' : 'Saved the topic');
        onClose();
      }}
    >
      {(problem) => (
        <Field
          label="Topic ARN"
          help="Empty: that of the first subscription that is confirmed."
          error={problem('topic')}
        >
          <Input
            value={topic}
            autoComplete="off"
            spellCheck={false}
            className="font-mono text-sm"
            placeholder="arn:aws:sns:us-east-1:123456789012:bounces"
            onChange={(event) => setTopic(event.target.value)}
          />
        </Field>
      )}
    </FormDialog>
  );
}

export function DeleteHookKeyDialog({
  kind,
  scope,
  target,
  onClose,
  onDeleted,
}: DialogProps & { target: HookKey; onDeleted: () => Promise<unknown> }) {
  const name = maskedKey(kind, target);
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={`Delete ${name}?`}
      about={kind.deleteAbout(scope)}
      action="Delete key"
      onConfirm={async () => {
        await kind.remove(scope, target.id);
        await onDeleted();
        toast(`Deleted ${name}`);
      }}
    />
  );
}
