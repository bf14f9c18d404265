import { METADATA_KEY_CHARACTERS_MAX } from '../../people/person.ts';
import type { Target } from './presets.ts';

type KeyTarget = Target & `metadata.${string}`;

const PREFIX = 'metadata.';

export function isMetadataKey(target: Target): target is KeyTarget {
  return target.startsWith(PREFIX);
}

export function keyIn(target: KeyTarget): string {
  return target.slice(PREFIX.length);
}

/** A question of a survey can be longer than a key. */
export function keyFor(column: string): KeyTarget {
  return `metadata.${cut(column, METADATA_KEY_CHARACTERS_MAX)}`;
}

/** The column `metadata.plan` is the key `plan`. */
export function keyInName(column: string): KeyTarget | undefined {
  const [, key] = /^metadata\.(.+)$/i.exec(column) ?? [];
  return key === undefined ? undefined : `metadata.${key}`;
}

/**
 * Gives each column that becomes metadata a key of its own. One that the operator or the column's name spells out
 * stays as it is. Columns that are one field also get a key, for rows in which both have a value.
 */
export function withOwnKeys<Column extends { name: string; field: Target; isUnknown: boolean }>(
  columns: readonly Column[],
  { isMapped, dropSpares }: { isMapped(column: string): boolean; dropSpares: boolean },
): (Column & { spare: Target | null })[] {
  const names = new UniqueNames(METADATA_KEY_CHARACTERS_MAX);
  const ownKey = (target: KeyTarget): KeyTarget => `metadata.${names.take(keyIn(target))}`;
  const rank = ({ name, isUnknown }: Column) => (isMapped(name) ? 0 : isUnknown ? 2 : 1);
  const keys = new Map<string, KeyTarget>();
  const users = new Map<Target, number>();
  for (const { name, field } of columns.toSorted((a, b) => rank(a) - rank(b))) {
    if (isMetadataKey(field)) keys.set(name, ownKey(field));
    else if (field !== '-') users.set(field, (users.get(field) ?? 0) + 1);
  }
  return columns.map((column) => {
    const field = keys.get(column.name) ?? column.field;
    const isShared = (users.get(field) ?? 0) > 1;
    const spare = isShared ? (dropSpares ? '-' : ownKey(keyFor(column.name))) : null;
    return { ...column, field, spare };
  });
}

/** Hands out names, each once: `plan`, `plan 2`, `plan 3`. */
export class UniqueNames {
  readonly #taken = new Set<string>();
  /** With which number to go on. */
  readonly #copies = new Map<string, number>();
  readonly #charactersMax: number;

  /** Names that get a number have at most so many characters. */
  constructor(charactersMax = Number.POSITIVE_INFINITY) {
    this.#charactersMax = charactersMax;
  }

  take(wanted: string): string {
    let name = wanted;
    let copy = this.#copies.get(wanted) ?? 2;
    for (; this.#taken.has(name); copy += 1) {
      const number = ` ${copy}`;
      name = cut(wanted, this.#charactersMax - number.length) + number;
    }
    this.#copies.set(wanted, copy);
    this.#taken.add(name);
    return name;
  }
}

function cut(text: string, charactersMax: number): string {
  return [...text].slice(0, charactersMax).join('').trimEnd();
}
