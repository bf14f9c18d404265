import { useBlocker } from '@tanstack/react-router';
import { useDraft } from '../api/session.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

interface UnsavedGuardProps {
  dirty: boolean;
  /** A part of the address that says what is edited. */
  of?: string | undefined;
}

/** Asks before a page with unsaved changes is left. Another state of the same page is not leaving. */
export function UnsavedGuard({ dirty, of }: UnsavedGuardProps) {
  useDraft(dirty);
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      dirty && (current.pathname !== next.pathname || edited(current.search, of) !== edited(next.search, of)),
    enableBeforeUnload: dirty,
    withResolver: true,
  });
  if (blocker.status !== 'blocked') return null;
  return (
    <Dialog
      open
      onClose={blocker.reset}
      title="Leave without saving?"
      about="Your changes will be lost."
      actions={
        <>
          <Button onClick={blocker.reset}>Keep editing</Button>
          <Button look="danger" onClick={blocker.proceed}>
            Discard changes
          </Button>
        </>
      }
    />
  );
}

function edited(search: object, name: string | undefined): unknown {
  return name === undefined ? undefined : new Map<string, unknown>(Object.entries(search)).get(name);
}
