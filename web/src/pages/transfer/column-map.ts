/** What columns mean, by their names. Those that are missing are up to the server. */
export type ColumnMap = ReadonlyMap<string, string>;

/** As the API wants it. */
export function mapText(map: ColumnMap): string {
  return [...map]
    .map(([name, field]) => `${name}=${field === 'metadata' ? `metadata.${name}` : field}`)
    .join(',');
}
