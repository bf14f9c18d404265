import { useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { Select } from '../../ui/select.tsx';
import { LANGUAGE_OPTIONS } from './mail-names.ts';

const PATH = '/waitlists/$waitlistId/emails/$kind';
const AUTO = 'auto';
const OPTIONS = [{ value: AUTO, label: 'Their language' }, ...LANGUAGE_OPTIONS];

interface PreviewOptionsProps {
  /** Texts of your own have one language. */
  hasLanguages: boolean;
  /** Whose values are shown. Example values without one. */
  person: string | undefined;
  onPerson: (person: string | undefined) => void;
  /** Why there is no such person. */
  problem: string | undefined;
}

/** Whose email the preview shows, and in which language. */
export function PreviewOptions({ hasLanguages, person, onPerson, problem }: PreviewOptionsProps) {
  const { language = AUTO } = useSearch({ from: `/shell${PATH}` });
  const navigate = useNavigate({ from: PATH });
  const [text, setText] = useState(person ?? '');
  const choose = (event: FormEvent) => {
    event.preventDefault();
    onPerson(text.trim() || undefined);
  };
  return (
    <div className="flex flex-col gap-3 px-5 pb-4 sm:flex-row sm:items-start">
      <form onSubmit={choose} className="flex min-w-0 flex-1 items-start gap-2">
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
      {hasLanguages && (
        <Select
          label="Language"
          className="sm:w-48"
          value={language}
          options={OPTIONS}
          onChange={(next) =>
            void navigate({
              search: (now) => ({
                ...now,
                language: LANGUAGE_OPTIONS.find(({ value }) => value === next)?.value,
              }),
              replace: true,
            })
          }
        />
      )}
    </div>
  );
}
