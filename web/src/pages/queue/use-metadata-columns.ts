import { useState } from 'react';
import { useMay } from '../../api/me.ts';
import type { QueueList } from './use-queue-list.ts';

/** More would leave no room for any of them. */
const COLUMNS_MAX = 8;

/** Of metadata keys to choose from. */
const KEYS_MAX = 200;

const keyOf = (waitlistId: string) => `doorlist.columns.${waitlistId}`;

/**
 * The metadata keys that there are, and those that have a column: `asked` by the address, or kept from before. A role
 * that sees no metadata has none.
 */
export function useMetadataColumns(
  waitlistId: string,
  asked: readonly string[] | undefined,
  { metadataKeys, rows }: QueueList,
) {
  const seesMetadata = useMay('support');
  const { columns: kept, choose } = useKeptColumns(waitlistId);
  if (!seesMetadata) return { keys: [], columns: [], choose };
  const seen = rows.loaded.flatMap(({ metadata }) => Object.keys(metadata ?? {}));
  const keys = [...new Set([...metadataKeys, ...kept, ...seen])].sort().slice(0, KEYS_MAX);
  return { keys, columns: asked ?? kept, choose };
}

/** The browser keeps them for each waitlist. */
function useKeptColumns(waitlistId: string) {
  const [changes, setChanges] = useState(0);
  const columns = readColumns(waitlistId);
  const choose = (next: readonly string[]) => {
    localStorage.setItem(keyOf(waitlistId), JSON.stringify(next.slice(0, COLUMNS_MAX)));
    setChanges(changes + 1);
  };
  return { columns, choose };
}

function readColumns(waitlistId: string): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(keyOf(waitlistId)) ?? '[]');
    return Array.isArray(kept) ? kept.filter((key) => typeof key === 'string').slice(0, COLUMNS_MAX) : [];
  } catch {
    return []; // Somebody edited it.
  }
}
