import { type Ref, useId } from 'react';
import { MAX } from '../../api/limits.ts';
import { cx } from '../../ui/cx.ts';

interface CodeAreaProps {
  ref: Ref<HTMLTextAreaElement>;
  label: string;
  help: string;
  value: string;
  readOnly: boolean;
  invalid: boolean;
  problemLines: readonly number[];
  onChange: (value: string) => void;
  onFocus: () => void;
}

/** The same in both layers, so that their lines wrap at the same places. */
const TEXT = 'col-start-1 row-start-1 py-3 font-mono text-sm leading-relaxed break-words whitespace-pre-wrap';

/** A text field with line numbers, as tall as its text. A copy of the text below it carries the numbers. */
export function CodeArea({
  ref,
  label,
  help,
  value,
  readOnly,
  invalid,
  problemLines,
  onChange,
  onFocus,
}: CodeAreaProps) {
  const id = useId();
  return (
    <div className="flex flex-col gap-1.5">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      <div
        className={cx(
          'grid min-h-72 overflow-hidden rounded-md bg-surface ring-1 ring-inset has-focus-visible:outline-2 has-focus-visible:outline-accent',
          invalid ? 'ring-danger' : 'ring-edge',
        )}
      >
        <div aria-hidden className={cx(TEXT, 'pointer-events-none min-w-0 text-transparent select-none')}>
          {value.split('\n').map((line, index) => {
            const wrong = problemLines.includes(index + 1);
            return (
              <div
                // biome-ignore lint/suspicious/noArrayIndexKey: a line is known by its number.
                key={index}
                className={cx('relative pr-3 pl-11', wrong && 'bg-danger-soft')}
              >
                <span
                  className={cx(
                    'absolute left-0 w-8 text-right tabular-nums',
                    wrong ? 'font-semibold text-danger' : 'text-mute',
                  )}
                >
                  {index + 1}
                </span>
                {`${line}\u200b`}
              </div>
            );
          })}
        </div>
        <textarea
          ref={ref}
          id={id}
          dir="auto"
          aria-describedby={`${id}-help`}
          aria-invalid={invalid}
          maxLength={MAX.MailTemplateRequest.body}
          readOnly={readOnly}
          spellCheck
          value={value}
          onFocus={onFocus}
          onChange={(event) => onChange(event.target.value)}
          className={cx(
            TEXT,
            'relative h-full w-full min-w-0 resize-none pr-3 pl-11 overflow-hidden bg-transparent text-ink outline-none',
          )}
        />
      </div>
      <p id={`${id}-help`} className="text-sm text-mute">
        {help}
      </p>
    </div>
  );
}
