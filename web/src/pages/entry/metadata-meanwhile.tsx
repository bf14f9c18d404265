import { NotSaved } from '../../ui/not-saved.tsx';
import type { Meanwhile } from './metadata-merge.ts';

const NAMED = 5;
const KEY_CHARACTERS = 60;

interface MetadataMeanwhileProps {
  meanwhile: Meanwhile;
  onDiscard: () => void;
}

export function MetadataMeanwhile({ meanwhile: { taken, replaced }, onDiscard }: MetadataMeanwhileProps) {
  return (
    <NotSaved what="metadata" onDiscard={replaced.length > 0 ? onDiscard : undefined}>
      {taken.length > 0 && `Changes to ${named(taken)} are included here. `}
      {replaced.length === 0
        ? 'Save again to keep both.'
        : `Your ${named(replaced)} ${replaced.length === 1 ? 'is' : 'are'} still here. Save again to replace what is stored, or discard your changes to see it.`}
    </NotSaved>
  );
}

function named(keys: readonly string[]): string {
  const names = keys.slice(0, NAMED).map((key) => key.slice(0, KEY_CHARACTERS));
  const more = keys.length - names.length;
  return new Intl.ListFormat('en').format([...names, ...(more > 0 ? [`${more} more`] : [])]);
}
