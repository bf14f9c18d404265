import { Plus, X } from 'lucide-react';
import { useId, useRef } from 'react';
import { MAX } from '../../api/limits.ts';
import { useMay } from '../../api/me.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { LAST_DAY } from '../../ui/day.ts';
import { Field, Input } from '../../ui/field.tsx';
import { problemsOf, type SegmentDraft } from './segment-draft.ts';
import { midnightInWords } from './segment-words.ts';

interface SegmentFieldsProps {
  draft: SegmentDraft;
  onChange: (draft: SegmentDraft) => void;
  /** Metadata keys to suggest. */
  keys: readonly string[];
}

/** All conditions must be met. */
export function SegmentFields({ draft, onChange, keys }: SegmentFieldsProps) {
  const seesMetadata = useMay('support');
  const set = (change: Partial<SegmentDraft>) => onChange({ ...draft, ...change });
  const problems = problemsOf(draft);
  return (
    <div className="flex flex-col gap-4">
      {seesMetadata && (
        <MetadataConditions pairs={draft.pairs} onChange={(pairs) => set({ pairs })} keys={keys} />
      )}
      <Field label="At least this many referrals" name="minReferrals" error={problems.minReferrals}>
        <Input
          type="number"
          min={0}
          max={MAX.SegmentConditions.minReferrals}
          step={1}
          inputMode="numeric"
          value={draft.minReferrals}
          onChange={(event) => set({ minReferrals: event.target.value })}
        />
      </Field>
      <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
        <Field
          label="Signed up from"
          name="joinedAfter"
          help={midnightInWords()}
          error={problems.joinedAfter}
        >
          <Input
            type="date"
            max={LAST_DAY}
            value={draft.joinedAfter}
            onChange={(event) => set({ joinedAfter: event.target.value })}
          />
        </Field>
        <Field
          label="Signed up before"
          name="joinedBefore"
          help={midnightInWords()}
          error={problems.joinedBefore}
        >
          <Input
            type="date"
            max={LAST_DAY}
            value={draft.joinedBefore}
            onChange={(event) => set({ joinedBefore: event.target.value })}
          />
        </Field>
      </div>
    </div>
  );
}

export type MetadataPair = SegmentDraft['pairs'][number];

interface MetadataConditionsProps {
  pairs: readonly MetadataPair[];
  onChange: (pairs: MetadataPair[]) => void;
  keys: readonly string[];
}

/** Keys and the value that each must have. */
export function MetadataConditions({ pairs, onChange, keys }: MetadataConditionsProps) {
  const suggestions = useId();
  const add = useRef<HTMLButtonElement>(null);
  const setPair = (id: number, change: Partial<MetadataPair>) =>
    onChange(pairs.map((pair) => (pair.id === id ? { ...pair, ...change } : pair)));
  const nextId = Math.max(0, ...pairs.map(({ id }) => id)) + 1;
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="pb-1.5 text-sm font-medium">Metadata</legend>
      <datalist id={suggestions}>
        {keys.map((key) => (
          <option key={key} value={key} />
        ))}
      </datalist>
      {pairs.map(({ id, key, value }, index) => (
        <div key={id} className="flex items-center gap-2">
          <Field label="Key" hideLabel className="min-w-0 flex-1">
            <Input
              value={key}
              list={suggestions}
              placeholder="Key"
              autoComplete="off"
              onChange={(event) => setPair(id, { key: event.target.value.replace('=', '') })}
            />
          </Field>
          <span className="text-mute">is</span>
          <Field label="Value" hideLabel className="min-w-0 flex-1">
            <Input
              value={value}
              placeholder="Value"
              autoComplete="off"
              onChange={(event) => setPair(id, { value: event.target.value })}
            />
          </Field>
          <IconButton
            label={`Remove condition ${index + 1}`}
            size="sm"
            onClick={() => {
              onChange(pairs.filter((pair) => pair.id !== id));
              add.current?.focus(); // This button goes with its condition.
            }}
          >
            <X aria-hidden />
          </IconButton>
        </div>
      ))}
      <div>
        <Button
          ref={add}
          size="sm"
          look="quiet"
          icon={<Plus aria-hidden />}
          onClick={() => onChange([...pairs, { id: nextId, key: '', value: '' }])}
        >
          Add metadata
        </Button>
      </div>
    </fieldset>
  );
}
