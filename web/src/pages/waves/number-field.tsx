import { Field, Input } from '../../ui/field.tsx';
import type { WaveDraft } from './wave-draft.ts';

/** For the parts of the form. `problem` is what the API said about a field. */
export interface PartProps {
  draft: WaveDraft;
  set: (change: Partial<WaveDraft>) => void;
  problem: (field: string) => string | undefined;
}

interface NumberFieldProps {
  label: string;
  help: string;
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
}

export function NumberField({ label, help, value, error, onChange }: NumberFieldProps) {
  return (
    <Field label={label} help={help} error={error}>
      <Input
        type="number"
        min={1}
        step={1}
        inputMode="numeric"
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </Field>
  );
}
