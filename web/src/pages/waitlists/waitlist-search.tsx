import { ListOrdered, Search } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { CONTROL } from '../../ui/field.tsx';
import { number } from '../../ui/number.ts';

interface WaitlistSearchProps {
  /** As it is in the address, which follows what is typed. */
  text: string;
  onSearch: (text: string) => void;
  found: number | undefined;
  total: number;
}

/** Narrows a long list of waitlists with every key, and says how many are left. */
export function WaitlistSearch({ text, onSearch, found, total }: WaitlistSearchProps) {
  const [typed, setTyped] = useState(text);
  const field = useRef<HTMLInputElement>(null);
  // While somebody types, the address is a moment behind.
  useEffect(() => {
    if (document.activeElement !== field.current) setTyped(text);
  }, [text]);
  const search = (next: string) => {
    setTyped(next);
    onSearch(next);
  };
  const clear = () => {
    search('');
    field.current?.focus();
  };
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <div className="relative min-w-0 flex-1 sm:w-88 sm:flex-none">
          <Search className="pointer-events-none absolute top-2.5 left-3 size-4 text-mute" aria-hidden />
          <input
            ref={field}
            type="search"
            value={typed}
            onChange={(event) => search(event.target.value)}
            aria-label="Search waitlists by name or id"
            placeholder="Name or id"
            autoComplete="off"
            spellCheck={false}
            maxLength={100}
            className={`${CONTROL} h-9 pl-9`}
          />
        </div>
        <p role="status" className="text-sm text-mute">
          {text.trim() !== '' && `${found} of ${number(total)} waitlists`}
        </p>
      </div>
      {found === 0 && (
        <Card flush>
          <EmptyState
            icon={<ListOrdered aria-hidden />}
            title="No waitlist found"
            action={<Button onClick={clear}>Clear search</Button>}
          >
            <span className="wrap-anywhere">None has “{text.trim()}” in its name or id.</span>
          </EmptyState>
        </Card>
      )}
    </>
  );
}
