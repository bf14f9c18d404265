/** What columns mean, by their names. Those that are missing are up to the server. */
export type ColumnMap = ReadonlyMap<string, string>;

const KEY_CHARACTERS_MAX = 64;

/** A field is for one column, so another one that had it is up to the server again. */
export function chooseField(map: ColumnMap, column: string, field: string): ColumnMap {
  const isShared = field === 'metadata' || field === '-';
  const others = [...map].filter(([, other]) => isShared || other !== field);
  return new Map(others).set(column, field);
}

/** As the API wants it. */
export function mapText(map: ColumnMap): string {
  const keys = new Set<string>();
  return [...map]
    .map(([name, field]) => `${name}=${field === 'metadata' ? `metadata.${keyOf(name, keys)}` : field}`)
    .join(',');
}

/** Long names may be the same when they are cut. */
function keyOf(name: string, taken: Set<string>): string {
  let key = cut(name, KEY_CHARACTERS_MAX);
  for (let copy = 2; taken.has(key); copy += 1) {
    const number = ` ${copy}`;
    key = cut(name, KEY_CHARACTERS_MAX - number.length) + number;
  }
  taken.add(key);
  return key;
}

function cut(text: string, charactersMax: number): string {
  return [...text].slice(0, charactersMax).join('').trimEnd();
}

/** Whether rows say who they are about. */
export function namesPeople(columns: readonly { name: string; field: string }[], map: ColumnMap): boolean {
  return columns.some(({ name, field }) => ['email', 'phone'].includes(map.get(name) ?? field));
}
