import { Send } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { useMay } from '../../api/me.ts';
import { BASE_PATH } from '../../base-path.ts';
import { Alert } from '../../ui/alert.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Field, Input, TextArea } from '../../ui/field.tsx';
import { number } from '../../ui/number.ts';
import { Select } from '../../ui/select.tsx';
import { useAct } from '../../ui/use-act.ts';
import { REQUESTS, type RequestName, type TestRequest } from './test-requests.ts';

interface Outcome {
  status: number;
  text: string;
  took: number;
}

interface RequestTesterProps {
  waitlistId: string;
  environment: string;
  apiKey: string;
  onKey: (key: string) => void;
}

/** Sends real requests to the API from here, with a key that the operator has at hand. */
export function RequestTester({ waitlistId, environment, apiKey, onKey }: RequestTesterProps) {
  const mayCreate = useMay('admin');
  const [name, setName] = useState<RequestName>('signup');
  const [inputs, setInputs] = useState<Partial<Record<RequestName, string>>>({});
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const definition = REQUESTS[name];
  const input = inputs[name] ?? definition.example(waitlistId);
  const request = definition.build(waitlistId, input);
  const { run, busy, error } = useAct(async () => setOutcome(await send(request, apiKey)));
  const choose = (next: RequestName) => {
    setName(next);
    setOutcome(null);
  };
  return (
    <Card
      title="Try it"
      about={`Sends a real request to ${environment}. What you add here joins the ${environment} queue.`}
    >
      <form
        className="grid gap-4 lg:grid-cols-2"
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          void run();
        }}
      >
        <div className="flex min-w-0 flex-col gap-4">
          <Field label="Request">
            <Select label="Request" value={name} onChange={choose} options={OPTIONS} />
          </Field>
          {definition.needsKey && (
            <Field
              label="Server key"
              help={`Stays in this tab. ${mayCreate ? 'Create a key above, or paste one.' : 'An admin can create one.'}`}
            >
              <Input
                required
                autoComplete="off"
                spellCheck={false}
                className="font-mono text-sm"
                placeholder={environment === 'production' ? 'dl_live_…' : 'dl_test_…'}
                value={apiKey}
                onChange={(event) => onKey(event.target.value.trim())}
              />
            </Field>
          )}
          <Field label={definition.inputLabel}>
            {definition.multiline ? (
              <TextArea
                required
                rows={10}
                spellCheck={false}
                className="font-mono text-sm"
                value={input}
                onChange={(event) => setInputs({ ...inputs, [name]: event.target.value })}
              />
            ) : (
              <Input
                autoComplete="off"
                spellCheck={false}
                className="font-mono text-sm"
                value={input}
                onChange={(event) => setInputs({ ...inputs, [name]: event.target.value })}
              />
            )}
          </Field>
          <div>
            <Button type="submit" look="primary" busy={busy} icon={<Send aria-hidden />}>
              Send request
            </Button>
          </div>
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <CodeBlock label="Request" snippets={[{ language: 'Request', code: shown(request) }]} />
          {error && <Alert>{error.sentence}</Alert>}
          <div aria-live="polite">{outcome && <Response outcome={outcome} />}</div>
        </div>
      </form>
    </Card>
  );
}

const OPTIONS = (Object.keys(REQUESTS) as RequestName[]).map((value) => ({
  value,
  label: REQUESTS[value].label,
}));

function Response({ outcome: { status, text, took } }: { outcome: Outcome }) {
  return (
    <div className="flex flex-col gap-2">
      <p className="flex items-center gap-2 text-sm text-mute">
        <Badge tone={status < 400 ? 'accent' : 'danger'}>{status}</Badge>
        {number(took)} ms
      </p>
      <CodeBlock label="Response" snippets={[{ language: 'Response', code: text }]} />
    </div>
  );
}

function shown({ method, path, body }: TestRequest): string {
  return body === undefined ? `${method} ${path}` : `${method} ${path}\n\n${body}`;
}

async function send({ method, path, body }: TestRequest, key: string): Promise<Outcome> {
  const start = performance.now();
  const response = await fetch(BASE_PATH + path, {
    method,
    credentials: 'omit',
    headers: {
      ...(key === '' ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  return { status: response.status, text: pretty(text), took: Math.round(performance.now() - start) };
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
