import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { systemErrorWords } from '../lib/files.ts';
import { ConfigProblem } from './variable.ts';

/** The variables of a `.env` file, or none if there is no such file and it need not be there. */
export function readEnvFile(file: string, { isRequired = false } = {}): Record<string, string> {
  const text = readText(path.resolve(file));
  if (text === undefined && isRequired)
    throw new ConfigProblem(`${path.resolve(file)}, named by --env-file, does not exist`);
  if (text === undefined) return {};
  const broken = firstBrokenLine(text);
  if (broken !== undefined)
    throw new ConfigProblem(`${path.resolve(file)}, line ${broken}: expected NAME=value`);
  return parseEnv(text) as Record<string, string>;
}

function readText(file: string): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file));
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    const reason = code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'it is not UTF-8' : systemErrorWords(code);
    throw new ConfigProblem(`${file} cannot be read: ${reason}`);
  }
}

const QUOTED_VALUE = /(?<==[ \t]*)(["'`])[\s\S]*?\1/g;
const LINE = /^\s*(#.*|(export\s+)?[A-Za-z_][\w.]*\s*=.*)?$/;

/** Node's parser skips what it does not understand, so a setting would be lost silently. */
function firstBrokenLine(text: string): number | undefined {
  const withoutValues = text.replace(QUOTED_VALUE, (value) => value.replace(/[^\n]/g, ''));
  const at = withoutValues.split(/\r?\n/).findIndex((line) => !LINE.test(line));
  return at === -1 ? undefined : at + 1;
}
