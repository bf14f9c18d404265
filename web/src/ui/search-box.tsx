import { Search } from 'lucide-react';
import { type FormEvent, useEffect, useState } from 'react';
import { CONTROL } from './field.tsx';

interface SearchBoxProps {
  text: string;
  onSearch: (text: string) => void;
  label: string;
  placeholder: string;
}

/** Searches when it is left or submitted, not with every key: it finds only what is complete. */
export function SearchBox({ text, onSearch, label, placeholder }: SearchBoxProps) {
  const [typed, setTyped] = useState(text);
  useEffect(() => setTyped(text), [text]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSearch(typed.trim());
  };
  return (
    <form onSubmit={submit} className="relative min-w-0 flex-1 sm:w-88 sm:flex-none">
      <Search className="pointer-events-none absolute top-2.5 left-3 size-4 text-mute" aria-hidden />
      <input
        type="search"
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          if (event.target.value === '') onSearch('');
        }}
        onBlur={() => typed.trim() !== text && onSearch(typed.trim())}
        aria-label={label}
        placeholder={placeholder}
        autoComplete="off"
        spellCheck={false}
        maxLength={2_000}
        className={`${CONTROL} h-9 pl-9`}
      />
    </form>
  );
}
