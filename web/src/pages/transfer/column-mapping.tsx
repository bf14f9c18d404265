import { Select } from '../../ui/select.tsx';
import type { ColumnMap } from './column-map.ts';
import type { FileColumn } from './read-columns.ts';

const AUTO = 'auto';
/** As in the API. `metadata` here stands for a key with the name of the column. */
const FIELDS = [
  { value: AUTO, label: 'Automatic' },
  { value: 'email', label: 'Email' },
  { value: 'phone', label: 'Phone' },
  { value: 'joinedAt', label: 'Time they joined' },
  { value: 'position', label: 'Position' },
  { value: 'referredBy', label: 'Referred by' },
  { value: 'referralCode', label: 'Referral code' },
  { value: 'language', label: 'Language' },
  { value: 'metadata', label: 'Metadata' },
  { value: '-', label: 'Skip' },
];

interface ColumnMappingProps {
  columns: readonly FileColumn[];
  map: ColumnMap;
  onChange: (map: ColumnMap) => void;
}

/** For files whose columns have names of their own. */
export function ColumnMapping({ columns, map, onChange }: ColumnMappingProps) {
  const choose = (name: string, field: string) => {
    const changed = new Map(map);
    if (field === AUTO) changed.delete(name);
    else changed.set(name, field);
    onChange(changed);
  };
  return (
    <section className="flex flex-col gap-1.5">
      <h3 className="text-sm font-medium">Columns</h3>
      <ul className="divide-y rounded-md ring-1 ring-line">
        {columns.map(({ name, example }) => (
          <li key={name} className="grid grid-cols-[minmax(0,1fr)_11rem] items-center gap-3 px-3 py-2">
            <span className="flex min-w-0 flex-col sm:flex-row sm:gap-3">
              <span className="truncate font-medium sm:w-1/2" title={name}>
                {name}
              </span>
              <span className="truncate text-mute sm:w-1/2" title={example}>
                {example}
              </span>
            </span>
            <Select
              label={`Import ${name} as`}
              value={map.get(name) ?? AUTO}
              options={FIELDS}
              onChange={(field) => choose(name, field)}
            />
          </li>
        ))}
      </ul>
      <p className="text-sm text-mute">
        Automatic knows common names, such as email and created_at. Other columns become metadata.
      </p>
    </section>
  );
}
