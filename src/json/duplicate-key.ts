import { type Level, type Path, pathOf } from './path.ts';
import { endOfString } from './scan.ts';

/** Finds the first key in valid JSON that its object already has. */
export function findDuplicateKey(json: string): Path | undefined {
  const levels: (Level & { keys: Set<string> })[] = [];
  let lastString = '""';
  for (let at = 0; at < json.length; at += 1) {
    const level = levels[levels.length - 1];
    const character = json.charAt(at);
    switch (character) {
      case '"': {
        const end = endOfString(json, at);
        lastString = json.slice(at, end + 1);
        at = end;
        break;
      }
      case ':':
        if (!level) break;
        level.key = lastString;
        if (level.keys.has(plain(lastString))) return pathOf(levels);
        level.keys.add(plain(lastString));
        break;
      case ',':
        if (level) level.index += 1;
        break;
      case '[':
      case '{':
        levels.push({ inArray: character === '[', index: 0, key: '""', keys: new Set() });
        break;
      case ']':
      case '}':
        levels.pop();
        break;
    }
  }
  return undefined;
}

function plain(key: string): string {
  return key.includes('\\') ? (JSON.parse(key) as string) : key.slice(1, -1);
}
