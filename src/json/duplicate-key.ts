import { type Level, type Path, pathOf, walk } from './path.ts';

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
