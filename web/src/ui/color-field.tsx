import { Field, Input } from './field.tsx';

const DEFAULT_COLOR = '#0f766e';

interface ColorFieldProps {
  value: string;
  onChange: (value: string) => void;
  help: string;
  error?: string | undefined;
  disabled?: boolean;
}

/** A color as a number, with a picker beside it. */
export function ColorField({ value, onChange, help, error, disabled = false }: ColorFieldProps) {
  return (
    <Field label="Color" help={help} error={error}>
      <div className="flex gap-2">
        <input
          type="color"
          aria-label="Pick a color"
          disabled={disabled}
          value={/^#[0-9a-f]{6}$/i.test(value) ? value : DEFAULT_COLOR}
          onChange={(event) => onChange(event.target.value)}
          className="h-9 w-12 shrink-0 cursor-pointer rounded-md bg-surface p-1 ring-1 ring-edge ring-inset disabled:opacity-60"
        />
        <Input
          autoComplete="off"
          spellCheck={false}
          disabled={disabled}
          placeholder={DEFAULT_COLOR}
          className="font-mono"
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      </div>
    </Field>
  );
}
