import { CircleAlert } from 'lucide-react';
import { type FocusEvent, type FormEvent, type ReactNode, useEffect, useRef } from 'react';
import type { ApiError } from '../api/client.ts';
import { Button } from './button.tsx';
import { ChangedMeanwhile } from './changed-meanwhile.tsx';
import { UnsavedGuard } from './unsaved-guard.tsx';
import { useMarkedFields } from './use-marked-fields.ts';
import type { Meanwhile } from './use-settings.ts';

interface SaveFormProps {
  /** Whether anything has changed. */
  dirty: boolean;
  busy: boolean;
  /** Why the last attempt was in vain. */
  error: ApiError | undefined;
  /** What somebody else saved since the form was opened. */
  meanwhile: Meanwhile | undefined;
  /** `over` replaces what somebody else saved. */
  onSave: (over?: boolean) => Promise<unknown>;
  onDiscard: () => void;
  /** A part of the address that says what is edited. */
  of?: string;
  children: ReactNode;
}

/** A page of settings. Changes are saved together, from a bar that stays in sight, and not lost by leaving. */
export function SaveForm(props: SaveFormProps) {
  const { dirty, busy, error, meanwhile, onSave, onDiscard, of, children } = props;
  const { form, marked } = useMarkedFields(error);
  const onFocus = useFocusBack(dirty);
  return (
    <form
      ref={form}
      onFocus={onFocus}
      className="flex flex-col gap-6"
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        void onSave();
      }}
    >
      <UnsavedGuard dirty={dirty} of={of} />
      {children}
      {meanwhile && (
        <div data-save-bar className="sticky bottom-4 z-10 rounded-lg bg-surface shadow-lg ring-1 ring-line">
          <ChangedMeanwhile {...meanwhile} busy={busy} onKeep={() => void onSave(true)} />
        </div>
      )}
      {dirty && !meanwhile && (
        <div
          // Toasts appear above it.
          data-save-bar
          className="sticky bottom-4 z-10 flex flex-wrap items-center justify-between gap-3 rounded-lg bg-surface px-4 py-3 shadow-lg ring-1 ring-line"
        >
          {error ? (
            <p role="alert" className="flex min-w-0 flex-1 basis-64 gap-2 text-sm text-danger">
              <CircleAlert className="mt-0.5 size-4 shrink-0" aria-hidden />
              <span className="min-w-0 break-words">Not saved. {reasonOf(error, marked)}</span>
            </p>
          ) : (
            <p className="text-sm text-mute">You have unsaved changes.</p>
          )}
          <div className="flex gap-2">
            <Button idle={busy} onClick={onDiscard}>
              Discard
            </Button>
            <Button type="submit" look="primary" busy={busy}>
              Save changes
            </Button>
          </div>
        </div>
      )}
    </form>
  );
}

/** The bar goes with the last change. Whoever was in it by keyboard goes on in the field that they came from. */
function useFocusBack(dirty: boolean) {
  const left = useRef<HTMLElement>(null);
  const isInBar = useRef(false);
  useEffect(() => {
    const isLost = isInBar.current && document.activeElement === document.body;
    if (!dirty && isLost) left.current?.focus({ preventScroll: true });
  }, [dirty]);
  return ({ target }: FocusEvent<HTMLElement>) => {
    const bar = target.closest('[data-save-bar]');
    isInBar.current = bar !== null && target.matches(':focus-visible');
    if (!bar) left.current = target;
  };
}

function reasonOf(error: ApiError, marked: number): string {
  if (marked === 0 || error.fields.length > marked) return error.sentence;
  return marked === 1 ? 'Correct the marked field.' : `Correct the ${marked} marked fields.`;
}
