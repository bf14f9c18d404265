import { useState } from 'react';
import { Field, Input } from '../../ui/field.tsx';
import { FIRST_DAY, isDay, isRange } from './periods.ts';

interface RangePickerProps {
  from: string;
  to: string;
  onChange: (range: { from: string; to: string }) => void;
}

/** The first and the last day to show. Loaded when it is asked for. */
export default function RangePicker({ from, to, onChange }: RangePickerProps) {
  const [draft, setDraft] = useState({ from, to });
  const today = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  const problem = problemOf(draft.from, draft.to);
  const set = (part: Partial<typeof draft>) => {
    const next = { ...draft, ...part };
    setDraft(next);
    if (isRange(next.from, next.to)) onChange(next);
  };
  return (
    <fieldset className="flex flex-wrap items-start gap-3">
      <legend className="sr-only">Range</legend>
      <Field label="First day" className="w-44 max-sm:flex-1">
        <Input
          type="date"
          min={FIRST_DAY}
          max={today}
          value={draft.from}
          onChange={(event) => set({ from: event.target.value })}
        />
      </Field>
      <Field label="Last day" className="w-44 max-sm:flex-1" error={problem}>
        <Input
          type="date"
          min={FIRST_DAY}
          max={today}
          value={draft.to}
          onChange={(event) => set({ to: event.target.value })}
        />
      </Field>
    </fieldset>
  );
}

/** What is wrong with a range, or undefined. */
function problemOf(from: string, to: string): string | undefined {
  if (isRange(from, to)) return undefined;
  if (!isDay(from) || !isDay(to)) return 'Choose both days.';
  if (from < FIRST_DAY) return 'Choose a day after 1980.';
  return to < from ? 'The last day is before the first.' : 'At most ten years.';
}
