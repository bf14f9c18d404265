import { Alert } from '../../ui/alert.tsx';
import { Button } from '../../ui/button.tsx';
import type { Meanwhile } from './use-template-draft.ts';

interface ChangedMeanwhileProps {
  meanwhile: Meanwhile;
  onDiscard: () => void;
}

/** Instead of saving over what somebody else saved. */
export function ChangedMeanwhile({ meanwhile: { changed, replaced }, onDiscard }: ChangedMeanwhileProps) {
  const taken = changed.filter((field) => !replaced.includes(field));
  return (
    <Alert title="Not saved: the template has changed since you opened it">
      {taken.length > 0 && `The new ${named(taken)} shown here. `}
      {replaced.length === 0
        ? 'Save again to keep both changes.'
        : `Your ${named(replaced)} still here. Save again to replace the newer text, or discard your changes to see it.`}
      {replaced.length > 0 && (
        <span className="mt-2 block">
          <Button size="sm" onClick={onDiscard}>
            Discard my changes
          </Button>
        </span>
      )}
    </Alert>
  );
}

function named(fields: readonly string[]): string {
  return `${fields.join(' and ')} ${fields.length === 1 ? 'is' : 'are'}`;
}
