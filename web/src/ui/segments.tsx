import { cx } from './cx.ts';

interface SegmentsProps<T extends string> {
  label: string;
  value: T;
  options: readonly { value: T; label: string }[];
  onChange: (value: T) => void;
}

/** A choice of a few, all in sight. */
export function Segments<T extends string>({ label, value, options, onChange }: SegmentsProps<T>) {
  return (
    <fieldset className="scrollbar-none flex max-w-full min-w-0 overflow-x-auto rounded-md bg-surface p-0.5 ring-1 ring-line ring-inset">
      <legend className="sr-only">{label}</legend>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          onClick={() => onChange(option.value)}
          className={cx(
            'h-8 rounded-sm px-2.5 text-sm whitespace-nowrap outline-offset-[-2px]',
            option.value === value ? 'bg-hover font-medium text-ink' : 'text-mute hover:text-ink',
          )}
        >
          {option.label}
        </button>
      ))}
    </fieldset>
  );
}
