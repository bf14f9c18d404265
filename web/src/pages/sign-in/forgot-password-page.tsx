import { Link } from '@tanstack/react-router';
import { buttonClass } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Centered } from './centered.tsx';

export function ForgotPasswordPage() {
  return (
    <Centered
      title="Reset your password"
      about="Ask an owner or admin for a reset link: they find it under People, beside your name."
    >
      <p className="text-mute">
        Nobody else can sign in? Run this on the server and open the link it prints:
      </p>
      <CodeBlock
        label="Command"
        snippets={[
          { language: 'Shell', code: 'npm run -s doorlist -- operator reset --email you@example.com' },
        ]}
      />
      <Link to="/sign-in" className={buttonClass('secondary')}>
        Back to sign-in
      </Link>
    </Centered>
  );
}
