import { Checkbox } from '../../ui/checkbox.tsx';
import { Field } from '../../ui/field.tsx';
import { Select } from '../../ui/select.tsx';
import type { ImportOptions } from './upload.ts';

const PRESETS = [
  { value: 'auto', label: 'Recognize it', about: 'By the names of its columns.' },
  { value: 'getwaitlist', label: 'GetWaitlist' },
  { value: 'waitlister', label: 'Waitlister' },
  { value: 'launchlist', label: 'LaunchList' },
  { value: 'prefinery', label: 'Prefinery' },
  { value: 'mailchimp', label: 'Mailchimp' },
  { value: 'kit', label: 'Kit' },
  { value: 'none', label: 'Something else', about: 'Common column names are understood.' },
];
const ORDERS = [
  { value: 'auto', label: 'By the time they joined' },
  { value: 'file', label: 'As in the file' },
] as const;

interface ImportOptionFieldsProps {
  options: ImportOptions;
  onChange: (options: ImportOptions) => void;
}

export function ImportOptionFields({ options, onChange }: ImportOptionFieldsProps) {
  const set = (part: Partial<ImportOptions>) => onChange({ ...options, ...part });
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Where it is from">
          <Select
            label="Where it is from"
            value={options.preset}
            onChange={(preset) => set({ preset })}
            options={PRESETS}
          />
        </Field>
        <Field label="Order">
          <Select label="Order" value={options.order} onChange={(order) => set({ order })} options={ORDERS} />
        </Field>
      </div>
      <div className="flex flex-col gap-3">
        <Checkbox
          label="They have confirmed their email"
          help="Otherwise people join as this waitlist is set up, and may be asked to confirm."
          checked={options.confirmed}
          onChange={(confirmed) => set({ confirmed })}
        />
        <Checkbox
          label="Skip unknown columns"
          help="Otherwise they become metadata."
          checked={options.dropUnmapped}
          onChange={(dropUnmapped) => set({ dropUnmapped })}
        />
        <Checkbox
          label="Send webhooks"
          help="One for each person, as if they had just joined."
          checked={options.events}
          onChange={(events) => set({ events })}
        />
      </div>
    </>
  );
}
