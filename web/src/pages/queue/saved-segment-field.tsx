import { useQuery } from '@tanstack/react-query';
import type { EntryStatus } from '../../api/choices.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { Field } from '../../ui/field.tsx';
import { Select } from '../../ui/select.tsx';
import { isSame, savedSegmentsQuery, segmentOfSaved } from './saved-segments.ts';
import { NO_SEGMENT, type Segment } from './segment.ts';

interface SavedSegmentFieldProps {
  scope: Scope;
  /** Only segments of people with this status, or with any. */
  status: EntryStatus;
  segment: Segment;
  onChange: (segment: Segment) => void;
}

/** Fills conditions in from a saved segment. Absent where there is none. */
export function SavedSegmentField({ scope, status, segment, onChange }: SavedSegmentFieldProps) {
  const { data = [] } = useQuery(savedSegmentsQuery(scope));
  const saved = data.filter(({ conditions }) => (conditions.status ?? status) === status);
  if (saved.length === 0) return null;
  const chosen = saved.find((each) => isSame(each, segment, each.conditions.status));
  return (
    <Field label="Saved segment">
      <Select
        label="Saved segment"
        value={chosen?.id ?? ''}
        onChange={(id) => {
          const next = saved.find((each) => each.id === id);
          onChange(next ? segmentOfSaved(next) : NO_SEGMENT);
        }}
        options={[{ value: '', label: 'None' }, ...saved.map(({ id, name }) => ({ value: id, label: name }))]}
      />
    </Field>
  );
}
