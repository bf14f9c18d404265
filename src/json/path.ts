import { MARK, scan } from './scan.ts';

/** An open object or array, and where in it a walk is. */
export interface Level {
  readonly inArray: boolean;
  index: number;
  /** As written, including quotes. */
  key: string;
}

/** Object keys and array indexes, from the outside in. */
export type Path = (string | number)[];

interface PathVisitor {
  /** A key of the innermost object. Returns true to end the walk. */
  key?(levels: readonly Level[]): boolean | undefined;
  /** Where a number starts. Returns true to end the walk. */
  number?(levels: readonly Level[], start: number): boolean | undefined;
}

/** Reads valid JSON once, and knows where it is. */
export function walk(json: string, { key, number }: PathVisitor): void {
  const levels: Level[] = [];
  let lastString = '""';
  scan(json, {
    string: (start, end) => {
      lastString = json.slice(start, end + 1);
    },
    mark: (character) => {
      const level = levels[levels.length - 1];
      if (character === MARK.array || character === MARK.object)
        levels.push({ inArray: character === MARK.array, index: 0, key: '""' });
      else if (character === MARK.arrayEnd || character === MARK.objectEnd) levels.pop();
      else if (level && character === MARK.comma) level.index += 1;
      else if (level) {
        level.key = lastString;
        return key?.(levels);
      }
      return false;
    },
    ...(number ? { number: (start) => number(levels, start) } : {}),
  });
}

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
