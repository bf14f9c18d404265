import { type FormEvent, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { CONTROL } from '../../ui/field.tsx';

interface JumpToProps {
  count: number;
  label: string;
  onJump: (at: string) => void;
}

/** Scrolls a long list to a row by its number. */
export function JumpTo({ count, label, onJump }: JumpToProps) {
  const [text, setText] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const at = Number(text);
    if (Number.isInteger(at) && at >= 1) onJump(String(Math.min(at, count)));
  };
  return (
    <form onSubmit={submit} className="flex items-center gap-2">
      <label className="flex items-center gap-2">
        <span>{label}</span>
        <input
          type="number"
          min={1}
          max={count}
          step={1}
          inputMode="numeric"
          value={text}
          onChange={(event) => setText(event.target.value)}
          className={`${CONTROL} h-8 w-28! max-md:w-18!`}
        />
      </label>
      <Button type="submit" size="sm">
        Go
      </Button>
    </form>
  );
}
