import type { Schemas } from '../../api/client.ts';
import { MAX } from '../../api/limits.ts';
import { slugOf } from '../../ui/slug.ts';

type FormField = Schemas['FormField'];
export type FieldType = FormField['type'];

export interface FieldDraft {
  /** Stays the same while the field is edited and moved. */
  id: number;
  name: string;
  label: string;
  type: FieldType;
  /** One per line. */
  options: string;
  required: boolean;
}

let lastId = 0;

export function fieldDraftOf({ name, label, type, options = [], required }: FormField): FieldDraft {
  lastId += 1;
  return { id: lastId, name, label, type, options: options.join('\n'), required };
}

export function newField(): FieldDraft {
  return fieldDraftOf({ name: '', label: '', type: 'text', required: false });
}

export function fieldOf({ name, label, type, options, required }: FieldDraft): FormField {
  const lines = options
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  return {
    name: name.trim(),
    label: label.trim(),
    type,
    ...(type === 'choice' ? { options: lines } : {}),
    required,
  };
}

/** What the form sends itself. The server refuses a field with such a name. */
const RESERVED = [
  'email',
  'phone',
  'ref',
  'token',
  'proof',
  'captcha',
  'consent',
  'website',
  'include',
  'lang',
];

/** A metadata key from what people see, and not one that is taken: "Company size" becomes "company_size". */
export function nameFor(label: string, taken: readonly string[]): string {
  if (label.trim() === '') return '';
  const name =
    slugOf(label, '_')
      .replace(/^[^a-z]+/, '')
      .slice(0, MAX.FormField.name) || 'field';
  const isFree = (one: string) => !RESERVED.includes(one) && !taken.includes(one);
  let free = name;
  for (let copy = 2; !isFree(free); copy += 1) free = `${name.slice(0, MAX.FormField.name - 4)}_${copy}`;
  return free;
}
