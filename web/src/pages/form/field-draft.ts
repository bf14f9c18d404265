import type { Schemas } from '../../api/client.ts';

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

/** A metadata key from what people see: "Company size" becomes "company_size". */
export function nameFor(label: string): string {
  return label
    .normalize('NFD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^[^a-z]+|_+$/g, '')
    .slice(0, 64);
}
