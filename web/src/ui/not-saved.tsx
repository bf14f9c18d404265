import type { ReactNode } from 'react';
import { Alert } from './alert.tsx';
import { Button } from './button.tsx';

interface NotSavedProps {
  /** What somebody else has changed. */
  what: string;
  /** Missing if there is nothing to choose. */
  onDiscard?: (() => void) | undefined;
  children: ReactNode;
}

/** Instead of saving over what somebody else saved. */
export function NotSaved({ what, onDiscard, children }: NotSavedProps) {
  return (
    <Alert title={`Not saved: the ${what} has changed since you opened it`}>
      {children}
      {onDiscard && (
        <span className="mt-2 block">
          <Button size="sm" onClick={onDiscard}>
            Discard my changes
          </Button>
        </span>
      )}
    </Alert>
  );
}
