import { useState } from 'react';

/** More would leave no room for any of them. */
export const COLUMNS_MAX = 8;

const keyOf = (waitlistId: string) => `doorlist.columns.${waitlistId}`;

/** The metadata keys that have a column in the queue. The browser keeps them for each waitlist. */
export function useColumns(waitlistId: string) {
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
