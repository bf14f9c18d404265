import { invalid } from '../../../lib/errors.ts';
import {
  COMMON_COLUMNS,
  type ColumnTable,
  EXPORT_COLUMNS,
  OWN_COLUMNS,
  PRESETS,
  type Target,
} from './presets.ts';

const TARGETS = new Set([
  'email',
  'phone',
  'referredBy',
  'referralCode',
  'joinedAt',
  'position',
  'metadata',
  'language',
  '-',
]);

/** The operator's choice of columns. */
export interface ColumnChoice {
  /** By exact column name. */
  map: Record<string, Target>;
  preset: string | null;
  dropUnmapped: boolean;
  /** The file is one of our own exports. */
  own: boolean;
}

/** Parses `column=field,…`. Column names may contain commas. */
export function parseColumnMap(text: string): Record<string, Target> {
  const map: Record<string, Target> = Object.create(null);
  for (const pair of text.match(/[^=]*(=[^,]*|$),?/g)?.filter((part) => part.trim() !== '') ?? []) {
    const [column = '', field = ''] = pair.split('=').map((part) => part.trim());
    const target = field.replace(/,$/, '').trim();
    if (column === '' || !(TARGETS.has(target) || /^metadata\../.test(target))) {
      throw invalid(
        `map: "${pair.trim()}" must be COLUMN=FIELD with one of ${[...TARGETS].join(' ')} metadata.KEY`,
      );
    }
    map[column] = target as Target;
  }
  return map;
}

export function checkPreset(name: string): string {
  if (Object.hasOwn(PRESETS, name)) return name;
  throw invalid(`preset: unknown preset ${name}: must be one of ${Object.keys(PRESETS).join(', ')}`);
}

/** Older exports have no language, which is the last column. */
export function isOwnExport(columns: readonly string[]): boolean {
  const missing = EXPORT_COLUMNS.length - columns.length;
  return (missing === 0 || missing === 1) && columns.every((name, at) => name === EXPORT_COLUMNS[at]);
}

/**
 * Returns what each column means, given the columns that the file has. A field that a column of a stronger table
 * fills is not guessed from a weaker one.
 */
export function chooseColumns(choice: ColumnChoice, columns: readonly string[]): (column: string) => Target {
  const tables: ColumnTable[] = choice.own
    ? [OWN_COLUMNS]
    : [...(choice.preset === null ? [] : [PRESETS[choice.preset] ?? {}]), COMMON_COLUMNS];
  const known = new Map<string, Target>();
  const taken = new Set<Target>(Object.values(choice.map).filter((target) => target !== '-'));
  const present = new Set(columns.map(plainName));
  for (const table of tables) {
    const fresh = Object.entries(table).filter(([name, target]) => !known.has(name) && !taken.has(target));
    for (const [name, target] of fresh) known.set(name, target);
    for (const [name, target] of fresh) if (target !== '-' && present.has(name)) taken.add(target);
  }
  // Not looked up in the object: read from a job, it inherits `constructor`.
  const mapped = new Map(Object.entries(choice.map));
  return (column) =>
    mapped.get(column) ??
    known.get(plainName(column)) ??
    metadataKeyIn(column) ??
    (choice.dropUnmapped ? '-' : `metadata.${column}`);
}

/** The column `metadata.plan` is the key `plan`. */
function metadataKeyIn(column: string): Target | undefined {
  const [, key] = /^metadata\.(.+)$/i.exec(column) ?? [];
  return key === undefined ? undefined : `metadata.${key}`;
}

function plainName(column: string): string {
  return column.toLowerCase().replace(/[\s_-]+/g, '');
}

/** Gives columns without a name, or with a duplicate name, a unique one. */
export function nameColumns(header: readonly string[]): string[] {
  const seen = new Set<string>();
  return header.map((cell, index) => {
    const wanted = cell.trim() === '' || cell.trim() === '__proto__' ? `column ${index + 1}` : cell.trim();
    let name = wanted;
    for (let copy = 2; seen.has(name); copy += 1) name = `${wanted} ${copy}`;
    seen.add(name);
    return name;
  });
}
