import { invalid } from '../../../lib/errors.ts';
import { keyFor, keyInName, UniqueNames, withOwnKeys } from './metadata-columns.ts';
import {
  BAD_ROW_COLUMNS,
  COMMON_COLUMNS,
  type ColumnTable,
  EXPORT_COLUMNS,
  GUESSED_COLUMNS,
  OWN_COLUMNS,
  PRESETS,
  type Target,
} from './presets.ts';
import { findZone } from './zones.ts';

/** What an operator can say that a column is. */
const FIELDS = [
  'email',
  'phone',
  'referredBy',
  'referralCode',
  'joinedAt',
  'position',
  'status',
  'metadata',
  'language',
  '-',
] as const;
const TARGETS: ReadonlySet<string> = new Set(FIELDS);
/** Turns off the recognition of other services. */
export const NO_PRESET = 'none';

/** The operator's choice of columns. */
export interface ColumnChoice {
  /** By exact column name. */
  map: Record<string, Target>;
  preset: string | null;
  dropUnmapped: boolean;
  /** The file is one of our own exports. */
  own: boolean;
}

/** What a column was taken for. */
export interface ResolvedColumn {
  name: string;
  field: Target;
  /** Its name only suggests it. */
  isGuess: boolean;
  /** Nothing is known about it, so it becomes metadata or is left out. */
  isUnknown: boolean;
  /** The time zone in its name. */
  zone: string | null;
  /** What its value becomes in a row where another column has already filled the field. null if none can. */
  spare: Target | null;
}

/** Where the values of a column go. */
export type ColumnPlace = Pick<ResolvedColumn, 'field' | 'spare'>;

/** Parses `column=field,…`. Column names may contain commas. */
export function parseColumnMap(text: string): Record<string, Target> {
  const map: Record<string, Target> = Object.create(null);
  for (const pair of text.match(/[^=]*(=[^,]*|$),?/g)?.filter((part) => part.trim() !== '') ?? []) {
    const [column = '', field = ''] = pair.split('=').map((part) => part.trim());
    const target = field.replace(/,$/, '').trim();
    if (column === '' || !(TARGETS.has(target) || /^metadata\.[^\0]+$/.test(target))) {
      throw invalid(
        `map: "${pair.trim()}" must be COLUMN=FIELD with one of ${[...TARGETS].join(' ')} metadata.KEY`,
      );
    }
    if (target === 'metadata.__proto__')
      throw invalid(`map: "${pair.trim()}": must not be a key named __proto__`);
    if (column in map) throw invalid(`map: "${column}" is named twice`);
    const other = Object.keys(map).find((name) => target !== '-' && map[name] === target);
    if (other !== undefined) throw invalid(`map: "${other}" and "${column}" are both ${target}`);
    map[column] = target as Target;
  }
  return map;
}

export function checkPreset(name: string): string {
  if (Object.hasOwn(PRESETS, name) || name === NO_PRESET) return name;
  throw invalid(`preset: unknown preset ${name}: must be one of ${Object.keys(PRESETS).join(', ')}`);
}

/** The service whose export this probably is. */
export function recognizeService(columns: readonly string[]): string | null {
  const present = new Set(columns.map(plainName));
  const found = Object.entries(PRESETS).find(([, { signs }]) =>
    signs.some((names) => names.every((name) => present.has(name))),
  );
  return found?.[0] ?? null;
}

/** Also if it has only the bad rows of one. Older exports have no language, which is the last column. */
export function isOwnExport(columns: readonly string[]): boolean {
  const isOfBadRows = BAD_ROW_COLUMNS.every((name, at) => name === columns[at]);
  const names = isOfBadRows ? columns.slice(BAD_ROW_COLUMNS.length) : columns;
  const missing = EXPORT_COLUMNS.length - names.length;
  return (missing === 0 || missing === 1) && names.every((name, at) => name === EXPORT_COLUMNS[at]);
}

/** Returns what each column means, given the columns that the file has. */
export function chooseColumns(choice: ColumnChoice, columns: readonly string[]): (column: string) => Target {
  const choose = choosePlaces(choice, columns);
  return (column) => choose(column).field;
}

export function choosePlaces(
  choice: ColumnChoice,
  columns: readonly string[],
): (column: string) => ColumnPlace {
  const places = new Map(resolveColumns(choice, columns).map((column) => [column.name, column]));
  return (column) => places.get(column) ?? { field: otherField(choice, column), spare: null };
}

/**
 * What each column of a file was taken for. A field that a column of a stronger table fills is not guessed from
 * a weaker one.
 */
export function resolveColumns(choice: ColumnChoice, columns: readonly string[]): ResolvedColumn[] {
  const preset = choice.preset === null ? undefined : PRESETS[choice.preset];
  const tables = choice.own ? [OWN_COLUMNS] : [...(preset ? [preset.columns] : []), COMMON_COLUMNS];
  // Not looked up in the object: read from a job, it inherits `constructor`.
  const mapped = new Map(Object.entries(choice.map));
  const taken = new Set<Target>([...mapped.values()].filter((target) => target !== '-'));
  const found = new Map<string, { field: Target; isGuess: boolean }>();
  const open = () => columns.filter((column) => !mapped.has(column) && !found.has(column));
  for (const table of tables) {
    const fresh = open().flatMap((column) => {
      const match = lookUp(table, column);
      return match && !taken.has(match.field) ? [{ column, ...match }] : [];
    });
    for (const { column, field, isGuess } of fresh) found.set(column, { field, isGuess });
    for (const { field } of fresh) if (field !== '-') taken.add(field);
  }
  if (!choice.own) guess(open(), taken, found);
  const resolved = columns.map((name) => {
    const zone = bareName(name)?.zone ?? null;
    const chosen = mapped.get(name);
    if (chosen !== undefined) return { name, field: chosen, isGuess: false, isUnknown: false, zone };
    const match = found.get(name);
    if (match) return { name, ...match, isUnknown: false, zone };
    const isUnknown = keyInName(name) === undefined;
    return { name, field: otherField(choice, name), isGuess: false, isUnknown, zone };
  });
  const isMapped = (name: string) => mapped.has(name);
  return withOwnKeys(resolved, { isMapped, dropSpares: choice.dropUnmapped });
}

function lookUp(table: ColumnTable, column: string): { field: Target; isGuess: boolean } | undefined {
  const exact = fieldIn(table, plainName(column));
  if (exact !== undefined) return { field: exact, isGuess: false };
  const bare = bareName(column);
  const field = bare && fieldIn(table, bare.name);
  if (!bare || field === undefined) return undefined;
  // A zone belongs to a time. Beside another name it is something else.
  return bare.zone === null || isTime(field) ? { field, isGuess: bare.isGuess } : undefined;
}

/** Not `table[name]`: a column can be called `constructor`. */
function fieldIn(table: ColumnTable, name: string): Target | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

function isTime(field: Target): boolean {
  return field === 'joinedAt' || field === 'invitedAt' || field === 'acceptedAt';
}

/** The most likely name for each field that has no column yet. */
function guess(
  open: readonly string[],
  taken: Set<Target>,
  found: Map<string, { field: Target; isGuess: boolean }>,
): void {
  const names = Object.keys(GUESSED_COLUMNS);
  const matches = open.flatMap((column) => {
    const match = lookUp(GUESSED_COLUMNS, column);
    const name = [plainName(column), bareName(column)?.name ?? ''].find((each) => names.includes(each));
    return match && name !== undefined ? [{ column, field: match.field, order: names.indexOf(name) }] : [];
  });
  for (const { column, field } of matches.toSorted((a, b) => a.order - b.order)) {
    if (taken.has(field)) continue;
    taken.add(field);
    found.set(column, { field, isGuess: true });
  }
}

function otherField({ dropUnmapped }: ColumnChoice, column: string): Target {
  return keyInName(column) ?? (dropUnmapped ? '-' : keyFor(column));
}

/** Gives columns without a name, or with a duplicate name, a unique one. */
export function nameColumns(header: readonly string[]): string[] {
  const names = new UniqueNames();
  return header.map((cell, index) => {
    const name = cell.trim();
    return names.take(name === '' || name === '__proto__' ? `column ${index + 1}` : name);
  });
}

/** Only letters and digits, so that `E-Mail *` and `email` are the same. */
export function plainName(column: string): string {
  return column.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
}

/** A column's name without what is said about it: `Signed up (PST)`. */
interface BareName {
  name: string;
  /** The time zone in it, or null. */
  zone: string | null;
  /** Something else was left out, so it may mean something else. */
  isGuess: boolean;
}

/** Returns undefined if nothing can be left out. */
function bareName(column: string): BareName | undefined {
  const [, before = '', note] = /^(.*\S)\s*[([{]([^()[\]{}]*)[)\]}]\s*$/.exec(column) ?? [];
  if (note !== undefined) {
    const zone = findZone(note.replace(/^(in|all times)\s+/i, ''));
    return { name: plainName(before), zone: zone?.name ?? null, isGuess: zone === undefined };
  }
  const [, rest = '', last] = /^(.+?)[\s_,-]+([A-Za-z]{2,4})$/.exec(column.trim()) ?? [];
  const zone = last === undefined ? undefined : findZone(last);
  return zone && { name: plainName(rest), zone: zone.name, isGuess: false };
}
