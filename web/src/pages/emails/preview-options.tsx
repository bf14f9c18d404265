import { type FormEvent, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Field, Input } from '../../ui/field.tsx';

interface PreviewOptionsProps {
  /** Whose values are shown. Example values without one. */
  person: string | undefined;
  onPerson: (person: string | undefined) => void;
  /** Why there is no such person. */
  problem: string | undefined;
}

/** Whose email the preview shows. */
export function PreviewOptions({ person, onPerson, problem }: PreviewOptionsProps) {
  const [text, setText] = useState(person ?? '');
  const choose = (event: FormEvent) => {
    event.preventDefault();
    onPerson(text.trim() || undefined);
  };
  return (
    <div className="px-5 pb-4">
      <form onSubmit={choose} className="flex min-w-0 items-start gap-2">
        <Field label="As this person" hideLabel error={problem} className="min-w-0 flex-1">
          <Input
            autoComplete="off"
            spellCheck={false}
            placeholder="Email of a person"
            value={text}
            onChange={(event) => {
              setText(event.target.value);
              if (event.target.value === '') onPerson(undefined);
            }}
          />
        </Field>
        <Button type="submit" disabled={text.trim() === ''}>
          Show
        </Button>
      </form>
    </div>
  );
}
