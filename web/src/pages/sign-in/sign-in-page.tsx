import { Link, useSearch } from '@tanstack/react-router';
import { Fingerprint } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { ApiError, api, call } from '../../api/client.ts';
import { passkeysWork, signInWithPasskey } from '../../api/passkeys.ts';
import { BASE_PATH } from '../../base-path.ts';
import { Alert } from '../../ui/alert.tsx';
import { Button } from '../../ui/button.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { useAct } from '../../ui/use-act.ts';
import { Centered } from './centered.tsx';
import { nextAddress } from './next-address.ts';

/** Signs in with a password, and with a code where the account has two-factor authentication. */
export function SignInPage() {
  const { next, ended } = useSearch({ from: '/sign-in' });
  const [credentials, setCredentials] = useState({ email: '', password: '' });
  const [code, setCode] = useState<string | null>(null);
  const { run, busy, error } = useAct(async () => {
    try {
      await call(api.POST('/admin/v1/session', { body: { ...credentials, ...(code ? { code } : {}) } }));
      location.assign(nextAddress(next, location.origin, BASE_PATH));
      await new Promise(() => {}); // Stays busy until the browser has left.
    } catch (problem) {
      if (ApiError.from(problem).code !== 'code_required') throw problem;
      setCode('');
    }
  });
  const passkey = useAct(async () => {
    await signInWithPasskey();
    location.assign(nextAddress(next, location.origin, BASE_PATH));
    await new Promise(() => {});
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run();
  };
  const change = (part: Partial<typeof credentials>) => setCredentials({ ...credentials, ...part });

  if (code !== null)
    return (
      // A page of its own, so that its field is focused and no password manager takes it for the email.
      <Centered
        key="code"
        title="Enter your code"
        about="Open your authenticator app, or use one of your recovery codes."
      >
        <form onSubmit={submit} className="flex flex-col gap-4">
          {error && (
            <Alert>{isWrong(error) ? 'This code is incorrect or was already used.' : error.sentence}</Alert>
          )}
          <Field label="Code">
            <Input
              autoFocus
              required
              autoComplete="one-time-code"
              inputMode="text"
              spellCheck={false}
              value={code}
              onChange={(event) => setCode(event.target.value)}
            />
          </Field>
          <Button type="submit" look="primary" busy={busy}>
            Sign in
          </Button>
          <Button look="quiet" onClick={() => setCode(null)}>
            Back
          </Button>
        </form>
      </Centered>
    );
  return (
    <Centered
      title="Sign in"
      about={ended ? 'Your session has ended. Sign in again to continue where you were.' : undefined}
    >
      <form onSubmit={submit} className="flex flex-col gap-4">
        {error && <Alert>{isWrong(error) ? 'The email or password is incorrect.' : error.sentence}</Alert>}
        {!error && passkey.error && <Alert>{passkey.error.sentence}</Alert>}
        <Field label="Email">
          <Input
            autoFocus
            required
            type="email"
            autoComplete="username"
            value={credentials.email}
            onChange={(event) => change({ email: event.target.value })}
          />
        </Field>
        <Field label="Password">
          <Input
            required
            type="password"
            autoComplete="current-password"
            value={credentials.password}
            onChange={(event) => change({ password: event.target.value })}
          />
        </Field>
        <Button type="submit" look="primary" busy={busy}>
          Sign in
        </Button>
        {passkeysWork && (
          <Button icon={<Fingerprint aria-hidden />} busy={passkey.busy} onClick={passkey.run}>
            Sign in with a passkey
          </Button>
        )}
        <Link
          to="/forgot-password"
          className="self-center rounded-sm text-sm text-mute underline-offset-4 hover:text-ink hover:underline"
        >
          Forgot your password?
        </Link>
      </form>
    </Centered>
  );
}

/** The API has one message for all that was sent. Here it is known what was asked for. */
function isWrong({ status, code }: ApiError): boolean {
  return status === 401 && code === 'unauthorized';
}
