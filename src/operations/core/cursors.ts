/** Sealed cursors as text. */
export function formatCursor(cursor: Uint8Array | null): string | null {
  return cursor && Buffer.from(cursor).toString('base64url');
}

/** Text that `formatCursor` cannot have written becomes an empty cursor, which fails to open. */
export function readCursor(text: string | undefined): Uint8Array | undefined {
  if (text === undefined) return undefined;
  const cursor = Buffer.from(text, 'base64url');
  return cursor.toString('base64url') === text ? cursor : Buffer.alloc(0);
}
