import { findZone } from './zones.ts';

/** Only letters and digits, so that `E-Mail *` and `email` are the same. */
export function plainName(column: string): string {
  return column.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
}

/** A column's name without what is said about it: `Signed up (PST)`. */
export interface BareName {
  name: string;
  /** The time zone in it, or null. */
  zone: string | null;
  /** Something else was left out, so it may mean something else. */
  isGuess: boolean;
}

/** Returns undefined if nothing can be left out. */
export function bareName(column: string): BareName | undefined {
  const [, before = '', note] = /^(.*\S)\s*[([{]([^()[\]{}]*)[)\]}]\s*$/.exec(column) ?? [];
  if (note !== undefined) {
    const zone = findZone(note.replace(/^(in|all times)\s+/i, ''));
    return { name: plainName(before), zone: zone?.name ?? null, isGuess: zone === undefined };
  }
  const [, rest = '', last] = /^(.+?)[\s_,-]+([A-Za-z]{2,4})$/.exec(column.trim()) ?? [];
  const zone = last === undefined ? undefined : findZone(last);
  return zone && { name: plainName(rest), zone: zone.name, isGuess: false };
}
