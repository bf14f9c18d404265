import { globSync, readFileSync } from 'node:fs';

const FILES = ['src/**/*.ts', 'web/src/**/*.{ts,tsx}', 'packages/client/src/**/*.ts'];

/**
 * Promises that are started, and awaited only after something else was: if that fails, nobody handles their rejection. They
 * are to be awaited together, or marked with `awaitedLater`. Reads code as the formatter writes it.
 */
export function lateAwaits(): string[] {
  return globSync(FILES)
    .filter((file) => !/\.test\.ts$|\.d\.ts$/.test(file))
    .flatMap((file) => lateAwaitsIn(readFileSync(file, 'utf8')).map((found) => `${file}:${found}`));
}

export function lateAwaitsIn(text: string): string[] {
  const lines = text.split('\n');
  return lines.flatMap((line, at) => {
    const [, indent = '', name] = /^(\s*)(?:const|let) (\w+)(?:: [^=]+)? = (?!await )/.exec(line) ?? [];
    if (name === undefined) return [];
    const end = endOfStatement(lines, at, indent);
    const started = lines.slice(at, end + 1).join('\n');
    if (!started.includes('(') || /\.catch\(|awaitedLater\(|allSettled\(|Promise\.resolve\(\)/.test(started))
      return [];
    const rest = restOfBlock(lines.slice(end + 1), indent);
    const used = firstUse(rest, name);
    if (used === undefined || !/\bawait\b/.test(rest.slice(0, used))) return [];
    return [`${at + 1}: ${name} is started here, but awaited after something else`];
  });
}

/** Where it is awaited, alone or with others. */
function firstUse(text: string, name: string): number | undefined {
  const alone = new RegExp(`\\bawait ${name}\\b(?![\\w.(\\[?])`).exec(text)?.index;
  const element = new RegExp(`[[(,]\\s*(\\.\\.\\.)?${name}\\s*[,\\])]`);
  const together = [...text.matchAll(/(?:await )?Promise\.\w+(?=\()/g)].find(({ 0: start, index }) =>
    element.test(argumentsAt(text, index + start.length)),
  )?.index;
  return alone === undefined || together === undefined ? (alone ?? together) : Math.min(alone, together);
}

/** What is between these brackets, without what is passed on to other functions. */
function argumentsAt(text: string, start: number): string {
  let depth = 0;
  let found = '';
  for (const character of text.slice(start)) {
    if (character === ')') depth -= 1;
    if (depth === 1 || (depth === 0 && character === ')')) found += depth === 0 ? ')' : character;
    if (character === '(') depth += 1;
    if (depth === 0) break;
  }
  return `(${found}`;
}

function endOfStatement(lines: readonly string[], from: number, indent: string): number {
  const end = lines.findIndex(
    (line, at) => at >= from && line.endsWith(';') && (at === from || !line.startsWith(`${indent} `)),
  );
  return end === -1 ? from : end;
}

function restOfBlock(lines: readonly string[], indent: string): string {
  const end = lines.findIndex((line) => line !== '' && !line.startsWith(indent));
  return lines.slice(0, end === -1 ? undefined : end).join('\n');
}
