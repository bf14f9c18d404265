import { BookOpen } from 'lucide-react';
import { useState } from 'react';
import { useMay } from '../../api/me.ts';
import { BASE_PATH, BASE_URL } from '../../base-path.ts';
import { useScope } from '../../shell/waitlist-scope.ts';
import { buttonClass } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { signupSnippets } from '../../ui/signup-snippets.ts';
import { HookKeyCard } from '../keys/hook-key-card.tsx';
import { GATE_KEYS } from './gate-keys.tsx';
import { KeysCard } from './keys-card.tsx';
import { RequestTester } from './request-tester.tsx';

/** Server keys of a waitlist, and how to use them. */
export function ApiPage() {
  const { waitlistId, environment } = useScope();
  // A fresh page for each: a key of one environment must not stay in the form of another.
  return <Content key={`${waitlistId} ${environment}`} waitlistId={waitlistId} environment={environment} />;
}

function Content({ waitlistId, environment }: { waitlistId: string; environment: string }) {
  const mayManage = useMay('admin');
  const [apiKey, setApiKey] = useState('');
  const snippets = signupSnippets(BASE_URL, waitlistId);
  return (
    <>
      <PageHeader
        title="API"
        about="Add people from your backend, read the queue and check invites."
        actions={
          <a href={`${BASE_PATH}/docs`} className={buttonClass()}>
            <BookOpen aria-hidden />
            API reference
          </a>
        }
      />
      <div className="flex flex-col gap-6">
        {mayManage && (
          <KeysCard
            scope={{ waitlistId, environment }}
            title="Server keys"
            about={`For ${waitlistId} in ${environment}.`}
            snippets={snippets}
            onKey={setApiKey}
          />
        )}
        {mayManage && <HookKeyCard kind={GATE_KEYS} scope={{ waitlistId, environment }} />}
        <Card
          title="Add people from your code"
          about="Set DOORLIST_KEY to a server key. Everything else is filled in."
        >
          <CodeBlock label="Example" snippets={snippets} />
        </Card>
        <RequestTester waitlistId={waitlistId} environment={environment} apiKey={apiKey} onKey={setApiKey} />
      </div>
    </>
  );
}
