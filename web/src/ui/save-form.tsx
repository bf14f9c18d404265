import type { FormEvent, ReactNode } from 'react';
import { Alert } from './alert.tsx';
import { Button } from './button.tsx';
import { UnsavedGuard } from './unsaved-guard.tsx';

interface SaveFormProps {
  /** Whether anything has changed. */
  dirty: boolean;
  busy: boolean;
  /** What is wrong and shown at no field. */
  problem: string | undefined;
  onSave: () => Promise<unknown>;
  onDiscard: () => void;
  children: ReactNode;
}

/** A page of settings. Changes are saved together, from a bar that stays in sight, and not lost by leaving. */
export function SaveForm({ dirty, busy, problem, onSave, onDiscard, children }: SaveFormProps) {
  return (
    <form
      className="flex flex-col gap-6"
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        void onSave();
      }}
    >
      <UnsavedGuard dirty={dirty} />
      {children}
      {problem !== undefined && <Alert>{problem}</Alert>}
      {dirty && (
        <div
          // Toasts appear above it.
          data-save-bar
          className="sticky bottom-4 z-10 flex flex-wrap items-center justify-between gap-3 rounded-lg bg-surface px-4 py-3 shadow-lg ring-1 ring-line"
        >
          <p className="text-sm text-mute">You have unsaved changes.</p>
          <div className="flex gap-2">
            <Button onClick={onDiscard}>Discard</Button>
            <Button type="submit" look="primary" busy={busy}>
              Save changes
            </Button>
          </div>
        </div>
      )}
    </form>
  );
}
