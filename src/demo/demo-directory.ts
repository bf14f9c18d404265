import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { invalid } from '../lib/errors.ts';
import { createPrivateFile } from '../lib/private-file.ts';

const MARK_FILE = 'demo.json';

/** What is in the directory of a demo, besides its database. */
export interface DemoMark {
  password: string;
  receiverPort: number;
  /** null while it is being built. */
  builtAt: number | null;
}

/** Returns undefined if there is nothing, or only an unfinished demo. Refuses what is not a demo. */
export function readDemo(dir: string): DemoMark | undefined {
  const names = namesIn(dir);
  if (names.length === 0) return undefined;
  if (!names.includes(MARK_FILE))
    throw invalid(`${path.resolve(dir)} is not empty and is not a demo: choose another directory with --dir`);
  const mark = JSON.parse(readFileSync(path.join(dir, MARK_FILE), 'utf8')) as DemoMark;
  return mark.builtAt === null ? undefined : mark;
}

/** Deletes an earlier demo in the directory. Anything else was refused by `readDemo`. */
export async function emptyDemoDirectory(dir: string): Promise<void> {
  for (const name of namesIn(dir)) await rm(path.join(dir, name), { recursive: true });
  await mkdir(dir, { recursive: true, mode: 0o700 });
}

export async function markDemo(dir: string, mark: DemoMark): Promise<void> {
  const file = await createPrivateFile(path.join(dir, MARK_FILE));
  await file.writeFile(JSON.stringify(mark));
  await file.close();
}

/** The mark goes last, so that a deletion that was interrupted can be continued. */
function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir).sort((a, b) => Number(a === MARK_FILE) - Number(b === MARK_FILE));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return [];
    throw invalid(code === 'ENOTDIR' ? `${dir} is not a directory` : `cannot read ${dir} (${code})`);
  }
}
