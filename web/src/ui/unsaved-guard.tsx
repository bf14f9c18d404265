import { useBlocker } from '@tanstack/react-router';
import { useDraft } from '../api/session.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

/** Asks before a page with unsaved changes is left. Another state of the same page is not leaving. */
export function UnsavedGuard({ dirty }: { dirty: boolean }) {
  useDraft(dirty);
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => dirty && current.pathname !== next.pathname,
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
