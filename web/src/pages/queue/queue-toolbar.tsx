import { useQuery } from '@tanstack/react-query';
import { ListFilter, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { entryQuery, nameOf } from '../../api/entries.ts';
import { useMay } from '../../api/me.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { Button } from '../../ui/button.tsx';
import { MultiCombobox } from '../../ui/multi-combobox.tsx';
import { SearchBox } from '../../ui/search-box.tsx';
import { Select } from '../../ui/select.tsx';
import type { QueueSearch } from './queue-search.ts';
import { NO_SEGMENT, type Segment } from './segment.ts';
import { type Condition, conditionsIn } from './segment-words.ts';

interface QueueToolbarProps {
  search: QueueSearch;
  /** Whether the order can be chosen. */
  hasOrder: boolean;
  /** Metadata keys that can have a column. Empty where the role sees no metadata. */
  keys: readonly string[];
  columns: readonly string[];
  onColumns: (columns: readonly string[]) => void;
  /** Beside the filter. */
  segments: ReactNode;
  onChange: (change: Partial<QueueSearch>) => void;
  onFilter: () => void;
}

export function QueueToolbar({ search, onChange, onFilter, segments, ...rest }: QueueToolbarProps) {
  const { hasOrder, keys, columns, onColumns } = rest;
  const seesPeople = useMay('support');
  return (
    <div className="flex flex-wrap items-center gap-2">
      <SearchBox
        text={search.search ?? ''}
        onSearch={(text) => onChange({ search: text || undefined })}
        label={
          seesPeople
            ? 'Find people by a part of their email, name, phone or metadata, or by a code, id or link'
            : 'Find a person by id'
        }
        placeholder={seesPeople ? 'Email, name, phone, code or link' : 'Entry id: ent_…'}
      />
      <Button icon={<ListFilter aria-hidden />} onClick={onFilter}>
        <span className="max-sm:sr-only">Filter</span>
      </Button>
      {segments}
      <span className="flex-1 max-md:hidden" />
      {hasOrder && (
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
          <MultiCombobox
            label="Columns"
            summary={columns.length === 0 ? 'Add a column' : columns.join(', ')}
            placeholder="Metadata key…"
            className="w-44!"
            values={columns}
            onChange={onColumns}
            options={keys}
          />
        </div>
      )}
    </div>
  );
}

interface ConditionsProps {
  scope: Scope;
  segment: Segment;
  onChange: (segment: Segment) => void;
}

/** What the table is filtered by, each with a way to drop it. */
export function Conditions({ scope, segment, onChange }: ConditionsProps) {
  const { referrer } = segment;
  const { data } = useQuery({ ...entryQuery(scope, referrer ?? ''), enabled: referrer !== undefined });
  const conditions = conditionsIn(segment, data && nameOf(data));
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
