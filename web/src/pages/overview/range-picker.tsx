import { useState } from 'react';
import { Field, Input } from '../../ui/field.tsx';
import { FIRST_DAY, problemOf } from './periods.ts';

interface RangePickerProps {
  from: string;
  to: string;
  today: string;
  onChange: (range: { from: string; to: string }) => void;
}

/** The first and the last day to show. Loaded when it is asked for. */
export default function RangePicker({ from, to, today, onChange }: RangePickerProps) {
  const [draft, setDraft] = useState({ from, to });
  const problem = problemOf(draft.from, draft.to, today);
  const set = (part: Partial<typeof draft>) => {
    const next = { ...draft, ...part };
    setDraft(next);
    if (!problemOf(next.from, next.to, today)) onChange(next);
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
