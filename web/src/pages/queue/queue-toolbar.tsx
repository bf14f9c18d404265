import { ListFilter, Search, X } from 'lucide-react';
import { type FormEvent, useEffect, useState } from 'react';
import { useMay } from '../../api/me.ts';
import { Button } from '../../ui/button.tsx';
import { Combobox } from '../../ui/combobox.tsx';
import { CONTROL } from '../../ui/field.tsx';
import { Select } from '../../ui/select.tsx';
import type { QueueSearch } from './queue-search.ts';
import { type Condition, conditionsIn, NO_SEGMENT, type Segment } from './segment.ts';

interface QueueToolbarProps {
  search: QueueSearch;
  /** Metadata keys that can have a column. Empty where the role sees no metadata. */
  keys: readonly string[];
  onChange: (change: Partial<QueueSearch>) => void;
  onFilter: () => void;
}

export function QueueToolbar({ search, keys, onChange, onFilter }: QueueToolbarProps) {
  return (
    <div className="flex flex-wrap items-center gap-2">
      <SearchBox text={search.search ?? ''} onSearch={(text) => onChange({ search: text || undefined })} />
      <Button icon={<ListFilter aria-hidden />} onClick={onFilter}>
        <span className="max-sm:sr-only">Filter</span>
      </Button>
      <span className="flex-1 max-md:hidden" />
      {search.tab === 'all' && (
        <Select
          label="Order"
          className="w-38! max-md:w-full!"
          value={search.order ?? 'newest'}
          onChange={(order) => onChange({ order: order === 'oldest' ? order : undefined, at: undefined })}
          options={[
            { value: 'newest', label: 'Newest first' },
            { value: 'oldest', label: 'Oldest first' },
          ]}
        />
      )}
      {keys.length > 0 && (
        <div className="max-md:hidden">
          <Combobox
            label="Add a column"
            placeholder="Metadata key…"
            className="w-44!"
            value={search.column ?? null}
            onChange={(column) => onChange({ column: column || undefined })}
            options={[
              { value: '', label: 'No column' },
              ...keys.map((key) => ({ value: key, label: key.slice(0, 64) })),
            ]}
          />
        </div>
      )}
    </div>
  );
}

function SearchBox({ text, onSearch }: { text: string; onSearch: (text: string) => void }) {
  const [typed, setTyped] = useState(text);
  const seesPeople = useMay('support');
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
        aria-label={
          seesPeople ? 'Find a person by exact email, phone, referral code or id' : 'Find a person by id'
        }
        placeholder={seesPeople ? 'Exact email, phone, code or id' : 'Entry id: ent_…'}
        autoComplete="off"
        spellCheck={false}
        maxLength={400}
        className={`${CONTROL} h-9 pl-9`}
      />
    </form>
  );
}

interface ConditionsProps {
  segment: Segment;
  onChange: (segment: Segment) => void;
}

/** What the table is filtered by, each with a way to drop it. */
export function Conditions({ segment, onChange }: ConditionsProps) {
  const conditions = conditionsIn(segment);
  if (conditions.length === 0) return null;
  return (
    <>
      {conditions.map(({ label, rest }: Condition) => (
        <Button
          key={label}
          size="sm"
          icon={<X aria-hidden />}
          aria-label={`Remove the filter ${label.slice(0, 100)}`}
          onClick={() => onChange(rest)}
        >
          <span className="max-w-64 truncate" title={label.slice(0, 1_000)} dir="auto">
            {label.slice(0, 100)}
          </span>
        </Button>
      ))}
      <Button size="sm" look="quiet" onClick={() => onChange(NO_SEGMENT)}>
        Clear
      </Button>
    </>
  );
}
