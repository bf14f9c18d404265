/** What columns mean, by their names. Those that are missing are up to the server. */
export type ColumnMap = ReadonlyMap<string, string>;

/** As the API wants it. */
export function mapText(map: ColumnMap): string {
  return [...map]
    .map(([name, field]) => `${name}=${field === 'metadata' ? `metadata.${keyOf(name)}` : field}`)
    .join(',');
}

/** A key has at most 64 characters. */
function keyOf(name: string): string {
  return [...name].slice(0, 64).join('').trimEnd();
}

/** Whether rows say who they are about. */
export function namesPeople(columns: readonly { name: string; field: string }[], map: ColumnMap): boolean {
  return columns.some(({ name, field }) => ['email', 'phone'].includes(map.get(name) ?? field));
}
