import { getSystemErrorMap } from 'node:util';

/** Describes a system error code: `ENOENT` is "no such file or directory". */
export function systemErrorWords(code: string): string {
  return [...getSystemErrorMap().values()].find(([name]) => name === code)?.[1] ?? code;
}
