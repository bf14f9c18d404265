import { type RefObject, useRef, useState } from 'react';
import { api, call, type Schemas } from '../../api/client.ts';
import { CopyField } from '../../ui/copy-button.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { toast } from '../../ui/toast.tsx';

interface Props<Done extends unknown[]> {
  onClose: () => void;
  onDone: (...done: Done) => Promise<unknown>;
}

/** First the password, then a code that shows that the app works. */
export function EnableDialog({ onClose, onDone }: Props<[string[]]>) {
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const codeField = useRef<HTMLInputElement>(null);
  const [secret, setSecret] = useState<Schemas['TwoFactorSecret'] | null>(null);
  if (secret === null)
    return (
      <FormDialog
        title="Turn on two-factor authentication"
        about="First confirm that it is you."
        action="Continue"
        onClose={onClose}
        onSubmit={async () =>
          setSecret(await call(api.POST('/admin/v1/me/two-factor', { body: { password } })))
        }
      >
        {(problem) => <PasswordField value={password} onChange={setPassword} error={problem('password')} />}
      </FormDialog>
    );
  return (
    <FormDialog
      key="code"
      title="Scan this with your app"
      about="Any authenticator app works, such as 1Password, Google Authenticator or Aegis."
      action="Turn on"
      initialFocus={codeField}
      onClose={onClose}
      onSubmit={async () => {
        const { recoveryCodes } = await call(api.POST('/admin/v1/me/two-factor/confirm', { body: { code } }));
        await onDone(recoveryCodes);
      }}
    >
      {(problem) => (
        <>
          <img
            alt="QR code for the authenticator app"
            src={`data:image/svg+xml,${encodeURIComponent(secret.picture)}`}
            className="size-44 self-center rounded-md bg-white p-2"
          />
          <div className="flex flex-col gap-1.5">
            <p className="text-sm text-mute">Or type this secret into the app:</p>
            <CopyField text={secret.secret} what="secret" />
          </div>
          <CodeField
            field={codeField}
            help="The 6 digits that the app shows now."
            value={code}
            onChange={setCode}
            error={problem('code')}
          />
        </>
      )}
    </FormDialog>
  );
}

export function RenewCodesDialog({ onClose, onDone }: Props<[string[]]>) {
  const [password, setPassword] = useState('');
  return (
    <FormDialog
      title="Create new recovery codes"
      about="The old ones stop working."
      action="Create codes"
      onClose={onClose}
      onSubmit={async () => {
        const { recoveryCodes } = await call(api.POST('/admin/v1/me/recovery-codes', { body: { password } }));
        await onDone(recoveryCodes);
      }}
    >
      {(problem) => <PasswordField value={password} onChange={setPassword} error={problem('password')} />}
    </FormDialog>
  );
}

export function DisableDialog({ onClose, onDone }: Props<[]>) {
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  return (
    <FormDialog
      title="Turn off two-factor authentication"
      about="Your account is then protected by your password alone."
      action="Turn off"
      danger
      onClose={onClose}
      onSubmit={async () => {
        await call(api.POST('/admin/v1/me/two-factor/disable', { body: { password, code } }));
        await onDone();
        toast('Two-factor authentication is off');
      }}
    >
      {(problem) => (
        <>
          <PasswordField value={password} onChange={setPassword} error={problem('password')} />
          <CodeField value={code} onChange={setCode} error={problem('code')} />
        </>
      )}
    </FormDialog>
  );
}

interface TextProps {
  value: string;
  onChange: (value: string) => void;
  error: string | undefined;
}

function PasswordField({ value, onChange, error }: TextProps) {
  return (
    <Field label="Password" error={error}>
      <Input
        required
        type="password"
        autoComplete="current-password"
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </Field>
  );
}

interface CodeProps extends TextProps {
  help?: string;
  field?: RefObject<HTMLInputElement | null>;
}

function CodeField({
  value,
  onChange,
  error,
  field,
  help = 'From your app, or a recovery code.',
}: CodeProps) {
  return (
    <Field label="Code" help={help} error={error}>
      <Input
        required
        ref={field}
        autoComplete="one-time-code"
        spellCheck={false}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </Field>
  );
}
