import { Badge } from '../../ui/badge.tsx';
import { Select } from '../../ui/select.tsx';
import { type ColumnMap, chooseField } from './column-map.ts';
import type { FilePreview } from './upload.ts';

type PreviewColumn = FilePreview['columns'][number];

/** As in the API. `metadata` here stands for a key with the name of the column. */
const FIELDS = [
  { value: 'email', label: 'Email' },
  { value: 'phone', label: 'Phone' },
  { value: 'joinedAt', label: 'Time they joined' },
  { value: 'position', label: 'Position' },
  { value: 'referredBy', label: 'Referred by' },
  { value: 'referralCode', label: 'Referral code' },
  { value: 'status', label: 'Status' },
  { value: 'language', label: 'Language' },
  { value: 'metadata', label: 'Metadata' },
  { value: '-', label: 'Skip' },
];
/** What only the server finds, in our own exports. */
const FOUND_ONLY = [
  { value: 'json', label: 'Metadata (JSON)' },
  { value: 'invitedAt', label: 'Time of the invite' },
  { value: 'acceptedAt', label: 'Time of the acceptance' },
];

interface ColumnMappingProps {
  columns: readonly PreviewColumn[];
  hasRows: boolean;
  map: ColumnMap;
  onChange: (map: ColumnMap) => void;
}

/** What each column was taken for, to be corrected. */
export function ColumnMapping({ columns, hasRows, map, onChange }: ColumnMappingProps) {
  const choose = (name: string, field: string) => {
    const changed = new Map(chooseField(map, name, field));
    if (FOUND_ONLY.some(({ value }) => value === field)) changed.delete(name);
    onChange(changed);
  };
  return (
    <section className="flex flex-col gap-1.5">
      <h3 className="text-sm font-medium">Columns</h3>
      <ul className="divide-y rounded-md ring-1 ring-line">
        {columns.map((column) => (
          <ColumnRow
            key={column.name}
            column={column}
            noExamples={hasRows ? 'Empty in the first rows' : 'No values'}
            chosen={map.get(column.name)}
            onChoose={(field) => choose(column.name, field)}
          />
        ))}
      </ul>
    </section>
  );
}

interface ColumnRowProps {
  column: PreviewColumn;
  /** What to say instead of examples. */
  noExamples: string;
  chosen: string | undefined;
  onChoose: (field: string) => void;
}

function ColumnRow({
  column: { name, field, isGuess, isUnknown, examples },
  noExamples,
  chosen,
  onChoose,
}: ColumnRowProps) {
  const value = chosen ?? optionOf(field);
  const texts = examples.map(({ text }) => text).join(' · ');
  const options = [...FIELDS, ...FOUND_ONLY.filter((option) => option.value === value)];
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_12rem] items-center gap-3 px-3 py-2 max-sm:grid-cols-1 max-sm:gap-1.5">
      <span className="flex min-w-0 flex-col">
        <span className="flex min-w-0 items-center gap-2">
          <span className="truncate font-medium" title={name}>
            {name}
          </span>
          {chosen === undefined && isGuess && <Badge tone="warn">Guess</Badge>}
          {chosen === undefined && isUnknown && <Badge>Unknown</Badge>}
        </span>
        <span className="truncate text-sm text-mute" title={texts}>
          {texts || noExamples}
        </span>
      </span>
      <Select
        label={`Import ${name} as`}
        value={value}
        options={options}
        disabled={name.includes('=')} // A name with an equals sign cannot be mapped.
        onChange={onChoose}
      />
    </li>
  );
}

function optionOf(field: string): string {
  if (field === 'metadata') return 'json';
  return field.startsWith('metadata.') ? 'metadata' : field;
}
