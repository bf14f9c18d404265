import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { api, call, type Schemas } from '../../api/client.ts';
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
  const [answer, setAnswer] = useState<Schemas['RequestedPasswordLink']>();
  const { run, busy, error } = useAct(async () => {
    setAnswer(await call(api.POST('/admin/v1/password/forgot', { body: { email } })));
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run();
  };
  if (answer)
    return (
      <Centered
        title={answer.mailServer ? 'Check your inbox' : 'No email was sent'}
        about={
          answer.mailServer
            ? `If ${email} can sign in here, a link to set a new password is on its way. It works for an hour.`
            : 'This installation has no mail server.'
        }
      >
        <p className="text-mute">
          {answer.mailServer ? 'No email? An owner can send you' : 'Ask an owner for'} a link from the Team
          page. Nobody else can sign in either? Run this on the machine of the server, with its variables, and
          open the link it prints:
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
    <Centered title="Reset your password" about="Enter the email that you sign in with.">
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
          Request link
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
