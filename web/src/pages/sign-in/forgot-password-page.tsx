import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { api, call } from '../../api/client.ts';
import { COMMAND } from '../../command.ts';
import { Alert } from '../../ui/alert.tsx';
import { Button, buttonClass } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { useAct } from '../../ui/use-act.ts';
import { Centered } from './centered.tsx';

/** Says the same whether or not there is such an account. */
export function ForgotPasswordPage() {
  const [email, setEmail] = useState('');
  const [sent, setSent] = useState(false);
  const { run, busy, error } = useAct(async () => {
    await call(api.POST('/admin/v1/password/forgot', { body: { email } }));
    setSent(true);
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run();
  };
  if (sent)
    return (
      <Centered
        title="Check your inbox"
        about={`If ${email} can sign in here, a link to set a new password is on its way. It works for an hour.`}
      >
        <p className="text-mute">
          No email? An owner can send you a link from the Team page. Nobody else can sign in either? Run this
          on the server and open the link it prints:
        </p>
        <CodeBlock
          label="Command"
          snippets={[{ language: 'Shell', code: `${COMMAND} operator reset --email ${shellWord(email)}` }]}
        />
        <Link to="/sign-in" className={buttonClass('secondary')}>
          Back to sign-in
        </Link>
      </Centered>
    );
  return (
    <Centered title="Reset your password" about="We email you a link to set a new one.">
      <form onSubmit={submit} className="flex flex-col gap-4">
        {error && !error.isAbout('email') && <Alert>{error.sentence}</Alert>}
        <Field label="Email" error={error?.about('email')}>
          <Input
            autoFocus
            required
            type="email"
            autoComplete="username"
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
        </Field>
        <Button type="submit" look="primary" busy={busy}>
          Send link
        </Button>
        <Link to="/sign-in" className={buttonClass('quiet')}>
          Back to sign-in
        </Link>
      </form>
    </Centered>
  );
}

/** People paste this into a shell. */
function shellWord(text: string): string {
  return /^[\w@.+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
