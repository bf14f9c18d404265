import { useQueryClient } from '@tanstack/react-query';
import { Fingerprint } from 'lucide-react';
import { type FormEvent, useEffect, useId, useState } from 'react';
import { api, call } from '../api/client.ts';
import { type Operator, useMe } from '../api/me.ts';
import { passkeysWork } from '../api/passkeys.ts';
import { leave, sessionResumed } from '../api/session.ts';
import { useSignIn } from '../api/use-sign-in.ts';
import { Alert } from '../ui/alert.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field, Input } from '../ui/field.tsx';

/** Over the page on which the session ended, so that what was typed there stays. */
export default function SignInAgain() {
  const me = useMe();
  const client = useQueryClient();
  const formId = useId();
  const [other, setOther] = useState<string>();
  const resume = async () => {
    const operator = await whoIsSignedIn();
    if (operator?.id !== me.id) return setOther(operator?.email);
    sessionResumed();
    await client.invalidateQueries();
  };
  const { credentials, change, code, setCode, password, passkey, problem } = useSignIn(me.email, resume);
  // Somebody may sign in in another tab instead.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it always does the same.
  useEffect(() => {
    const look = async () => {
      if ((await whoIsSignedIn())?.id === me.id) await resume();
    };
    window.addEventListener('focus', look);
    return () => window.removeEventListener('focus', look);
  }, [me.id]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation();
    void password.run();
  };
  return (
    <Dialog
      open
      onClose={() => {}} // Nothing on the page works without a session.
      title={code === null ? 'Sign in again' : 'Enter your code'}
      about={
        code === null
          ? 'Your session has ended. What you typed is still here: sign in, then save it.'
          : 'Open your authenticator app, or use one of your recovery codes.'
      }
      actions={
        <>
          <Button look="quiet" onClick={leave}>
            Leave and discard
          </Button>
          <Button type="submit" form={formId} look="primary" busy={password.busy}>
            Sign in
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={submit} className="flex flex-col gap-4">
        {other !== undefined && (
          <Alert>
            You signed in as {other}. Sign in as {me.email} to go on.
          </Alert>
        )}
        {problem && <Alert>{problem}</Alert>}
        {code === null ? (
          <>
            <Field label="Email">
              <Input type="email" autoComplete="username" readOnly value={credentials.email} />
            </Field>
            <Field label="Password">
              <Input
                autoFocus
                required
                type="password"
                autoComplete="current-password"
                value={credentials.password}
                onChange={(event) => change({ password: event.target.value })}
              />
            </Field>
            {passkeysWork && (
              <Button icon={<Fingerprint aria-hidden />} busy={passkey.busy} onClick={passkey.run}>
                Sign in with a passkey
              </Button>
            )}
          </>
        ) : (
          <Field label="Code" key="code">
            <Input
              autoFocus
              required
              autoComplete="one-time-code"
              spellCheck={false}
              value={code}
              onChange={(event) => setCode(event.target.value)}
            />
          </Field>
        )}
      </form>
    </Dialog>
  );
}

async function whoIsSignedIn(): Promise<Operator | undefined> {
  const me = await call(api.GET('/admin/v1/me')).catch(() => undefined);
  return me?.kind === 'operator' ? me.operator : undefined;
}
