const PREFERENCE =
  /^\s*([!#$%&'*+.^_`|~0-9a-z-]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*)))?\s*(?:;.*)?$/i;
export const HEADER_CHARACTERS_MAX = 1_000;
/** Commas inside quotes do not separate. */
const LIST_PARTS = /(?:[^,"]|"(?:[^"\\]|\\.)*"|")+/g;

/**
 * Whether the `Prefer` header asks for `return=representation` (RFC 7240). The first instance of a preference
 * counts; what is unknown or malformed is ignored.
 */
export function prefersRepresentation(header: string | string[] | undefined): boolean {
  if (header === undefined) return false;
  const text = Array.isArray(header) ? header.join(',') : header;
  if (text.length > HEADER_CHARACTERS_MAX) return false;
  for (const part of text.match(LIST_PARTS) ?? []) {
    const [, name, quoted, token] = PREFERENCE.exec(part) ?? [];
    if (name?.toLowerCase() === 'return') return (quoted ?? token)?.toLowerCase() === 'representation';
  }
  return false;
}
