/** An open object or array, and where in it a scan is. */
export interface Level {
  inArray: boolean;
  index: number;
  /** As written, including quotes. */
  key: string;
}

/** Object keys and array indexes, from the outside in. */
export type Path = (string | number)[];

export function pathOf(levels: readonly Level[]): Path {
  return levels.map(({ inArray, index, key }) => (inArray ? index : (JSON.parse(key) as string)));
}

const KEY_CHARACTERS_SHOWN = 64;

/** As shown in messages: `entries[3].metadata.big`. */
export function showPath(path: Path): string {
  const parts = path.map((part) =>
    typeof part === 'number' ? `[${part}]` : `.${part.slice(0, KEY_CHARACTERS_SHOWN)}`,
  );
  return parts.join('').replace(/^\./, '');
}
