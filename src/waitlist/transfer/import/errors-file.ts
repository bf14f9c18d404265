import { type FileHandle, open, rm } from 'node:fs/promises';
import { findOutputFile, writeProblem } from '../../../lib/output-file.ts';
import { createPrivateFile } from '../../../lib/private-file.ts';
import { type BadRow, badRowLines } from './bad-rows.ts';
import type { RowProblem } from './import-row.ts';

/** About 100,000 rows: more than anyone reads, and a garbage file cannot fill the disk. */
export const ERRORS_FILE_BYTES_MAX = 10 * 1024 * 1024;
const FULL = 'this file is full: further bad rows are only counted';
const FULL_LINE = `${JSON.stringify({ line: null, field: null, reason: FULL })}\n`;

/** A text that grows with an import, and is cut back to its last commit when the import continues. */
export interface TextFile {
  /** Returns the new length in bytes. */
  append(lines: readonly string[]): Promise<number>;
  close(): Promise<void>;
}

/** Lists bad rows by line, field and reason, without their data. Created with the first bad row. */
export interface ErrorsFile {
  append(problems: readonly RowProblem[]): Promise<number>;
  close(): Promise<void>;
}

/** Lists bad rows with their data. */
export interface BadRowsFile {
  append(rows: readonly BadRow[]): Promise<number>;
  close(): Promise<void>;
}

export function errorsIn(text: TextFile): ErrorsFile {
  return {
    ...text,
    append: (problems) => text.append(problems.map((problem) => `${JSON.stringify(problem)}\n`)),
  };
}

export function badRowsIn(text: TextFile): BadRowsFile {
  return { ...text, append: (rows) => text.append(badRowLines(rows)) };
}

/** Continues where the import's last commit left off, because the rows after it will be read again. */
export async function openErrorsFile(path: string, keepBytes: number): Promise<ErrorsFile> {
  return errorsIn(await openTextFile(path, keepBytes, '', FULL_LINE));
}

export async function openTextFile(
  path: string,
  keepBytes: number,
  head: string,
  full: string,
): Promise<TextFile> {
  const target = await findOutputFile(path);
  const name = target.path;
  // The reader of a pipe waits for its end, even if there is nothing to read.
  let file: FileHandle | undefined = target.isStream ? await open(name, 'a') : undefined;
  let size = keepBytes;
  // A file from an earlier import would list other rows.
  if (keepBytes === 0 && !target.isStream) await rm(name, { force: true });
  const write = async (lines: readonly string[]) => {
    if (!file) {
      file = keepBytes === 0 ? await createPrivateFile(name) : await open(name, 'a', 0o600);
      size = Math.min(size, (await file.stat()).size);
      await file.truncate(size);
    }
    const text = (size === 0 ? head : '') + linesFor(lines, ERRORS_FILE_BYTES_MAX - size, full);
    await file.appendFile(text);
    if (!target.isStream) await file.datasync(); // The next commit marks these rows as done.
    size += Buffer.byteLength(text);
  };
  return {
    append: async (lines) => {
      if (lines.length > 0 && size < ERRORS_FILE_BYTES_MAX)
        await write(lines).catch((error) => {
          throw writeProblem(path, error);
        });
      return size;
    },
    close: async () => {
      await file?.close();
    },
  };
}

/** Stops at the line that fills the file, and then says that there are more. */
export function linesFor(lines: readonly string[], room: number, full: string = FULL_LINE): string {
  let text = '';
  for (const line of lines) {
    text += line;
    if (text.length >= room) return text + full;
  }
  return text;
}
