import { Field as Base } from '@base-ui/react/field';
import type { ComponentProps, ReactNode } from 'react';
import { cx } from './cx.ts';

export const CONTROL =
  'w-full rounded-md bg-surface px-3 text-ink ring-1 ring-inset ring-edge placeholder:text-mute focus-visible:outline-2 focus-visible:outline-offset-0 focus-visible:outline-accent disabled:opacity-60 data-[invalid]:ring-danger max-md:text-lg';

interface FieldProps {
  label: ReactNode;
  /** The name in errors of the API, such as `email` in "email: is required". */
  name?: string;
  help?: ReactNode;
  /** What is wrong with it. */
  error?: string | undefined;
  /** For a field whose label only screen readers need. */
  hideLabel?: boolean;
  children: ReactNode;
  className?: string;
}

/** A label, a control, and what it is for or what is wrong with it. */
export function Field({ label, name, help, error, hideLabel, children, className }: FieldProps) {
  return (
    <Base.Root name={name} invalid={error !== undefined} className={cx('flex flex-col gap-1.5', className)}>
      <Base.Label className={cx('text-sm font-medium', hideLabel && 'sr-only')}>{label}</Base.Label>
      {children}
      {error !== undefined && (
        <Base.Error match className="text-sm text-danger">
          {error}
        </Base.Error>
      )}
      {help && <Base.Description className="text-sm text-mute">{help}</Base.Description>}
    </Base.Root>
  );
}

export function Input({ className, ...rest }: ComponentProps<'input'>) {
  return <Base.Control dir="auto" {...rest} className={cx(CONTROL, 'h-9', className)} />;
}

export function TextArea({ className, rows = 4, ...rest }: ComponentProps<'textarea'>) {
  return (
    <Base.Control
      render={<textarea dir="auto" rows={rows} {...rest} />}
      className={cx(CONTROL, 'py-2 leading-relaxed', className)}
    />
  );
}
