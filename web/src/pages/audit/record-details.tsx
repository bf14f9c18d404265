import type { ReactNode } from 'react';
import type { Schemas } from '../../api/client.ts';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { number } from '../../ui/number.ts';
import { exactTime } from '../../ui/relative-time.tsx';

export type AuditRecord = Schemas['AuditRecord'];

interface RecordDetailsProps {
  record: AuditRecord;
  onFilter: (filter: { action?: string; actor?: string; object?: string }) => void;
}

export function RecordDetails({ record, onFilter }: RecordDetailsProps) {
  const { action, at, actor, object, address, before, after, damaged } = record;
  const key = (reference: { kind: string; id: string | null }) =>
    reference.id === null ? reference.kind : `${reference.kind}:${reference.id}`;
  return (
    <div className="flex flex-col gap-6">
      <dl className="grid grid-cols-[6rem_minmax(0,1fr)] gap-x-4 gap-y-3">
        <Row label="Record">
          {number(record.number)} <Id text={action} />
        </Row>
        <Row label="When">{exactTime(at)}</Row>
        <Row label="By">
          {actor.name ?? actor.kind} <Id text={key(actor)} />
        </Row>
        {object && (
          <Row label="On">
            {object.name ?? object.kind} <Id text={key(object)} />
          </Row>
        )}
        {address && <Row label="From">{address}</Row>}
      </dl>
      <div className="flex flex-wrap gap-2">
        <Button size="sm" onClick={() => onFilter({ action })}>
          Same action
        </Button>
        <Button size="sm" onClick={() => onFilter({ actor: key(actor) })}>
          Same operator
        </Button>
        {object && (
          <Button size="sm" onClick={() => onFilter({ object: key(object) })}>
            Same object
          </Button>
        )}
      </div>
      {damaged && <p className="text-danger">The details of this record are damaged.</p>}
      {before !== null && (
        <CodeBlock label="Before" snippets={[{ language: 'Before', code: shown(before) }]} />
      )}
      {after !== null && <CodeBlock label="After" snippets={[{ language: 'After', code: shown(after) }]} />}
    </div>
  );
}

/** Records keep times as milliseconds. */
function shown(details: unknown): string {
  const readable = (key: string, value: unknown) =>
    typeof value === 'number' && key.endsWith('At') ? new Date(value).toISOString() : value;
  return JSON.stringify(details, readable, 2);
}

function Row({ label, children }: { label: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-mute">{label}</dt>
      <dd className="break-words">{children}</dd>
    </>
  );
}

function Id({ text }: { text: string }) {
  return <span className="block font-mono text-sm break-all text-mute">{text}</span>;
}
