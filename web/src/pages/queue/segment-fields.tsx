import { Plus, X } from 'lucide-react';
import { useId, useRef } from 'react';
import { useMay } from '../../api/me.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { dayProblem, LAST_DAY } from '../../ui/day.ts';
import { Field, Input } from '../../ui/field.tsx';
import { isEmpty, type Segment } from './segment.ts';
import { inputDay, midnightInWords, splitPair } from './segment-words.ts';

/** A segment while it is being filled in. */
export interface SegmentDraft {
  pairs: { id: number; key: string; value: string }[];
  minReferrals: string;
  joinedAfter: string;
  joinedBefore: string;
  /** What it was made from. A time that is not changed stays exact, and so does what has no field. */
  given: Segment;
}

export function draftOf(segment: Segment): SegmentDraft {
  const pairs = (segment.where ?? []).map((pair, id) => {
    const [key, value] = splitPair(pair);
    return { id, key, value };
  });
  return {
    pairs: pairs.length > 0 ? pairs : [{ id: 0, key: '', value: '' }],
    minReferrals: segment.minReferrals ?? '',
    joinedAfter: inputDay(segment.joinedAfter),
    joinedBefore: inputDay(segment.joinedBefore),
    given: segment,
  };
}

export function segmentOf(draft: SegmentDraft): Segment {
  const { pairs, minReferrals, given } = draft;
  const timeOf = (name: 'joinedAfter' | 'joinedBefore') =>
    draft[name] === inputDay(given[name]) ? given[name] : draft[name] || undefined;
  const where = pairs
    .filter(({ key }) => key.trim() !== '')
    .map(({ key, value }) => `${key.trim()}=${value.trim()}`);
  return {
    where: where.length > 0 ? [...new Set(where)] : undefined,
    minReferrals: minReferrals === '' ? undefined : minReferrals,
    joinedAfter: timeOf('joinedAfter'),
    joinedBefore: timeOf('joinedBefore'),
    referrer: given.referrer,
  };
}

/** What is wrong with a condition. The API would say it in its own words. */
function problemsOf({ minReferrals, joinedAfter, joinedBefore }: SegmentDraft) {
  return {
    minReferrals: /^\d{0,9}$/.test(minReferrals) ? undefined : 'Enter a whole number from 0 to 999,999,999.',
    joinedAfter: dayProblem(joinedAfter),
    joinedBefore: dayProblem(joinedBefore),
  };
}

export const isSound = (draft: SegmentDraft) =>
  Object.values(problemsOf(draft)).every((problem) => problem === undefined);

export const isBlank = (draft: SegmentDraft) => isEmpty(segmentOf(draft));

interface SegmentFieldsProps {
  draft: SegmentDraft;
  onChange: (draft: SegmentDraft) => void;
  /** Metadata keys to suggest. */
  keys: readonly string[];
}

/** All conditions must be met. */
export function SegmentFields({ draft, onChange, keys }: SegmentFieldsProps) {
  const suggestions = useId();
  const add = useRef<HTMLButtonElement>(null);
  const seesMetadata = useMay('support');
  const set = (change: Partial<SegmentDraft>) => onChange({ ...draft, ...change });
  const setPair = (id: number, change: Partial<SegmentDraft['pairs'][number]>) =>
    set({ pairs: draft.pairs.map((pair) => (pair.id === id ? { ...pair, ...change } : pair)) });
  const problems = problemsOf(draft);
  const nextId = Math.max(0, ...draft.pairs.map(({ id }) => id)) + 1;
  return (
    <div className="flex flex-col gap-4">
      {seesMetadata && (
        <fieldset className="flex flex-col gap-2">
          <legend className="pb-1.5 text-sm font-medium">Metadata</legend>
          <datalist id={suggestions}>
            {keys.map((key) => (
              <option key={key} value={key} />
            ))}
          </datalist>
          {draft.pairs.map(({ id, key, value }, index) => (
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
                  set({ pairs: draft.pairs.filter((pair) => pair.id !== id) });
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
              onClick={() => set({ pairs: [...draft.pairs, { id: nextId, key: '', value: '' }] })}
            >
              Add metadata
            </Button>
          </div>
        </fieldset>
      )}
      <Field label="At least this many referrals" name="minReferrals" error={problems.minReferrals}>
        <Input
          type="number"
          min={0}
          max={999_999_999}
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
