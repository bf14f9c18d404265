import { NotSaved } from '../../ui/not-saved.tsx';
import type { Meanwhile } from './use-template-draft.ts';

interface ChangedMeanwhileProps {
  meanwhile: Meanwhile;
  onDiscard: () => void;
}

export function ChangedMeanwhile({ meanwhile: { changed, replaced }, onDiscard }: ChangedMeanwhileProps) {
  const taken = changed.filter((field) => !replaced.includes(field));
  return (
    <NotSaved what="template" onDiscard={replaced.length > 0 ? onDiscard : undefined}>
      {taken.length > 0 && `The new ${named(taken)} shown here. `}
      {replaced.length === 0
        ? 'Save again to keep both changes.'
        : `Your ${named(replaced)} still here. Save again to replace the newer text, or discard your changes to see it.`}
    </NotSaved>
  );
}

function named(fields: readonly string[]): string {
  return `${fields.join(' and ')} ${fields.length === 1 ? 'is' : 'are'}`;
}
