import { type Level, type Path, pathOf, walk } from './path.ts';
import { countColons } from './scan.ts';

const QUOTE = 0x22;
const SPACE = 0x20;

/** Whether valid JSON has more members as written than it has when parsed. */
export function hasDuplicateKey(json: string, members: number): boolean {
  let colons = 0;
  for (let at = json.indexOf(':'); at >= 0; at = json.indexOf(':', at + 1)) {
    // A key ends with a quote, and perhaps spaces. A colon after anything else is in a string, such as a time.
    const before = json.charCodeAt(at - 1);
    if (before === QUOTE || before <= SPACE) colons += 1;
  }
  return colons !== members && countColons(json) !== members;
}

/** Finds the first key in valid JSON that its object already has. */
export function findDuplicateKey(json: string): Path | undefined {
  const keysOf = new WeakMap<Level, Set<string>>();
  let duplicate: Path | undefined;
  walk(json, {
    key: (levels) => {
      const level = levels[levels.length - 1] as Level;
      const keys = keysOf.get(level) ?? new Set();
      keysOf.set(level, keys);
      const name = plain(level.key);
      if (keys.has(name)) duplicate = pathOf(levels);
      keys.add(name);
      return duplicate !== undefined;
    },
  });
  return duplicate;
}

function plain(key: string): string {
  return key.includes('\\') ? (JSON.parse(key) as string) : key.slice(1, -1);
}
