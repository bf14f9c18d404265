import { useState } from 'react';
import { useAct } from '../ui/use-act.ts';
import { ApiError, api, call } from './client.ts';
import { signInWithPasskey } from './passkeys.ts';

/** Signs in with a password, and with a code where the account has two-factor authentication, or with a passkey. */
export function useSignIn(email: string, onSignedIn: () => Promise<unknown>) {
  const [credentials, setCredentials] = useState({ email, password: '' });
  /** null until it is asked for. */
  const [code, setCode] = useState<string | null>(null);
  const password = useAct(async () => {
    try {
      await call(api.POST('/admin/v1/session', { body: { ...credentials, ...(code ? { code } : {}) } }));
    } catch (problem) {
      if (ApiError.from(problem).code !== 'code_required') throw problem;
      setCode('');
      return;
    }
    await onSignedIn();
  });
  const passkey = useAct(async () => {
    await signInWithPasskey();
    await onSignedIn();
  });
  const { error } = password;
  const wrong = code === null ? 'The email or password is incorrect.' : CODE_WRONG;
  return {
    credentials,
    change: (part: Partial<typeof credentials>) => setCredentials({ ...credentials, ...part }),
    code,
    setCode,
    password,
    passkey,
    /** What is wrong, in a sentence. */
    problem: error ? (isWrong(error) ? wrong : error.sentence) : passkey.error?.sentence,
  };
}

const CODE_WRONG = 'This code is incorrect or was already used.';

/** The API has one message for all that was sent. Here it is known what was asked for. */
function isWrong({ status, code }: ApiError): boolean {
  return status === 401 && code === 'unauthorized';
}
