import { UserPlus } from 'lucide-react';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { Card } from '../../ui/card.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { signupSnippets } from '../../ui/signup-snippets.ts';

/** For a waitlist without people: how to add the first one. */
export function FirstSignup({ waitlistId, environment }: Scope) {
  const create = `export DOORLIST_KEY=$(npm run -s doorlist -- key create --waitlist ${waitlistId} --env ${environment} --read --quiet)`;
  return (
    <Card flush>
      <EmptyState
        icon={<UserPlus aria-hidden />}
        title="Add the first person"
        snippet={
          <div className="flex flex-col gap-3">
            <CodeBlock
              label="Create a key"
              snippets={[{ language: '1. Create a key on the server', code: create }]}
            />
            <CodeBlock label="Sign somebody up" snippets={signupSnippets(location.origin, waitlistId)} />
          </div>
        }
      >
        Run this, and the numbers above change at once. The address is made up, so nobody gets an email.
      </EmptyState>
    </Card>
  );
}
