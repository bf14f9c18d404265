import { ArrowDown, ArrowUp, Plus, Trash2 } from 'lucide-react';
import { useRef } from 'react';
import { MAX } from '../../api/limits.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Field, Input, TextArea } from '../../ui/field.tsx';
import { Select } from '../../ui/select.tsx';
import { type FieldDraft, type FieldType, nameFor, newField } from './field-draft.ts';

const TYPES: { value: FieldType; label: string }[] = [
  { value: 'text', label: 'Text' },
  { value: 'choice', label: 'Choice' },
  { value: 'checkbox', label: 'Checkbox' },
];

interface FieldsEditorProps {
  fields: readonly FieldDraft[];
  onChange: (fields: FieldDraft[]) => void;
  problem: (path: string) => string | undefined;
}

/** What the form asks for beside the email. */
export function FieldsEditor({ fields, onChange, problem }: FieldsEditorProps) {
  const replace = (index: number, part: Partial<FieldDraft>) =>
    onChange(fields.map((field, at) => (at === index ? { ...field, ...part } : field)));
  const add = useRef<HTMLButtonElement>(null);
  const move = (from: number, to: number) => {
    const next = [...fields];
    next.splice(to, 0, ...next.splice(from, 1));
    onChange(next);
  };
  return (
    <div className="flex flex-col gap-4">
      {fields.length > 0 && (
        <ol className="flex flex-col gap-3">
          {fields.map((field, index) => (
            <li key={field.id} className="flex flex-col gap-4 rounded-md bg-sunken p-4 ring-1 ring-line">
              <div className="flex items-center gap-1">
                <h3 className="min-w-0 flex-1 truncate text-sm font-medium" title={field.label}>
                  {field.label.trim() === '' ? `Field ${index + 1}` : field.label}
                </h3>
                <IconButton
                  size="sm"
                  label={`Move field ${index + 1} up`}
                  disabled={index === 0}
                  onClick={() => move(index, index - 1)}
                >
                  <ArrowUp aria-hidden />
                </IconButton>
                <IconButton
                  size="sm"
                  label={`Move field ${index + 1} down`}
                  disabled={index === fields.length - 1}
                  onClick={() => move(index, index + 1)}
                >
                  <ArrowDown aria-hidden />
                </IconButton>
                <IconButton
                  size="sm"
                  label={`Remove field ${index + 1}`}
                  onClick={() => {
                    onChange(fields.filter((each) => each !== field));
                    add.current?.focus(); // This button goes with its field.
                  }}
                >
                  <Trash2 aria-hidden />
                </IconButton>
              </div>
              <OneField
                field={field}
                taken={fields.filter((each) => each !== field).map(({ name }) => name)}
                onChange={(part) => replace(index, part)}
                problem={(name) => problem(`fields[${index}].${name}`)}
              />
            </li>
          ))}
        </ol>
      )}
      <div>
        <Button
          ref={add}
          size="sm"
          icon={<Plus aria-hidden />}
          disabled={fields.length >= MAX.FormRequest.fields}
          onClick={() => onChange([...fields, newField()])}
        >
          Add field
        </Button>
      </div>
    </div>
  );
}

interface OneFieldProps {
  field: FieldDraft;
  /** Names of the others. */
  taken: readonly string[];
  onChange: (part: Partial<FieldDraft>) => void;
  problem: (name: string) => string | undefined;
}

function OneField({ field, taken, onChange, problem }: OneFieldProps) {
  const follows = field.name === nameFor(field.label, taken);
  return (
    <>
      <div className="grid gap-4 md:grid-cols-[1fr_1fr_10rem]">
        <Field label="Label" error={problem('label')}>
          <Input
            required
            maxLength={MAX.FormField.label}
            placeholder="Company"
            value={field.label}
            onChange={({ target: { value } }) =>
              onChange({ label: value, ...(follows ? { name: nameFor(value, taken) } : {}) })
            }
          />
        </Field>
        <Field label="Metadata key" error={problem('name')}>
          <Input
            required
            maxLength={MAX.FormField.name}
            autoComplete="off"
            spellCheck={false}
            placeholder="company"
            className="font-mono text-sm"
            value={field.name}
            onChange={({ target: { value } }) => onChange({ name: value })}
          />
        </Field>
        <Field label="Type" error={problem('type')}>
          <Select label="Type" value={field.type} onChange={(type) => onChange({ type })} options={TYPES} />
        </Field>
      </div>
      {field.type === 'choice' && (
        <Field label="Options" help="One per line." error={problem('options')}>
          <TextArea
            required
            rows={Math.min(8, Math.max(3, field.options.split('\n').length))}
            placeholder={'Free\nPro'}
            value={field.options}
            onChange={({ target: { value } }) => onChange({ options: value })}
          />
        </Field>
      )}
      <Checkbox label="Required" checked={field.required} onChange={(required) => onChange({ required })} />
    </>
  );
}
