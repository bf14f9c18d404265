import { UserPlus } from 'lucide-react';
import { useCommands } from '../../api/commands.ts';
import { BASE_URL } from '../../base-path.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { Card } from '../../ui/card.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { signupSnippets } from '../../ui/signup-snippets.ts';

/** For a waitlist without people: how to add the first one. */
export default function FirstSignup({ waitlistId, environment }: Scope) {
  const { command, note } = useCommands();
  const words = `key create \\\n  --waitlist ${waitlistId} --env ${environment} --read --quiet`;
  const create = `${note}export DOORLIST_KEY=$(${command(words)})`;
  return (
    <Card flush>
      <EmptyState
        icon={<UserPlus aria-hidden />}
        title="Sign people up from your backend"
        snippet={
          <div className="flex flex-col gap-3">
            <CodeBlock
              label="Create a key"
              snippets={[{ language: 'On the server: create a key', code: create }]}
            />
            <CodeBlock label="Sign somebody up" snippets={signupSnippets(BASE_URL, waitlistId)} />
          </div>
        }
      >
        Run this, and watch the numbers above change.
      </EmptyState>
    </Card>
  );
}
