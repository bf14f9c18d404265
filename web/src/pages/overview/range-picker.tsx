import { useState } from 'react';
import { Field, Input } from '../../ui/field.tsx';
import { FIRST_DAY, problemOf } from './periods.ts';

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
    if (problemOf(next.from, next.to) === undefined) onChange(next);
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
