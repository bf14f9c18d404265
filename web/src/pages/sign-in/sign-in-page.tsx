import { Link, useSearch } from '@tanstack/react-router';
import { Fingerprint } from 'lucide-react';
import type { FormEvent } from 'react';
import { passkeysWork } from '../../api/passkeys.ts';
import { useSignIn } from '../../api/use-sign-in.ts';
import { BASE_PATH } from '../../base-path.ts';
import { Alert } from '../../ui/alert.tsx';
import { Button } from '../../ui/button.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { Centered } from './centered.tsx';
import { nextAddress } from './next-address.ts';

/** Signs in with a password, and with a code where the account has two-factor authentication. */
export function SignInPage() {
  const { next, ended } = useSearch({ from: '/sign-in' });
  const { credentials, change, code, setCode, password, passkey, problem } = useSignIn('', async () => {
    location.assign(nextAddress(next, location.origin, BASE_PATH));
    await new Promise(() => {}); // Stays busy until the browser has left.
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void password.run();
  };

  if (code !== null)
    return (
      // A page of its own, so that its field is focused and no password manager takes it for the email.
      <Centered
        key="code"
        title="Enter your code"
        about="Open your authenticator app, or use one of your recovery codes."
      >
        <form onSubmit={submit} className="flex flex-col gap-4">
          {problem && <Alert>{problem}</Alert>}
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
          <Button type="submit" look="primary" busy={password.busy}>
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
        {problem && <Alert>{problem}</Alert>}
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
        <Button type="submit" look="primary" busy={password.busy}>
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
