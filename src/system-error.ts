import { getSystemErrorMap } from 'node:util';

/** What the system means by a code: `ENOENT` is "no such file or directory". */
export function systemErrorWords(code: string): string {
  return [...getSystemErrorMap().values()].find(([name]) => name === code)?.[1] ?? code;
}
