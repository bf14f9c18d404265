import { type FileHandle, open, rm } from 'node:fs/promises';
import { createPrivateFile } from '../../../lib/private-file.ts';
import type { RowProblem } from './import-row.ts';

/** About 100,000 rows: more than anyone reads, and a garbage file cannot fill the disk. */
export const ERRORS_FILE_BYTES_MAX = 10 * 1024 * 1024;
const FULL = `${JSON.stringify({ line: null, field: null, reason: 'this file is full: further bad rows are only counted' })}\n`;

/** Lists bad rows by line, field and reason, without their data. Created with the first bad row. */
export interface ErrorsFile {
  /** Returns the new length of the file. */
  append(problems: readonly RowProblem[]): Promise<number>;
  close(): Promise<void>;
}

/** Continues where the import's last commit left off, because the rows after it will be read again. */
export async function openErrorsFile(path: string, keepBytes: number): Promise<ErrorsFile> {
  let file: FileHandle | undefined;
  let size = keepBytes;
  // A file from an earlier import would list other rows.
  if (keepBytes === 0) await rm(path, { force: true });
  return {
    append: async (problems) => {
      if (problems.length === 0 || size >= ERRORS_FILE_BYTES_MAX) return size;
      if (!file) {
        file = keepBytes === 0 ? await createPrivateFile(path) : await reopen(path);
        size = Math.min(size, (await file.stat()).size);
        await file.truncate(size);
      }
      const bytes = Buffer.from(linesFor(problems, ERRORS_FILE_BYTES_MAX - size));
      await file.write(bytes, 0, bytes.length, size);
      await file.datasync(); // The next commit marks these rows as done.
      size += bytes.length;
      return size;
    },
    close: async () => {
      await file?.close();
    },
  };
}

/** Stops at the line that fills the file, and then says that there are more. */
export function linesFor(problems: readonly RowProblem[], room: number): string {
  let lines = '';
  for (const problem of problems) {
    lines += `${JSON.stringify(problem)}\n`;
    if (lines.length >= room) return lines + FULL;
  }
  return lines;
}

/** For a resumed import. Creates a new file if the old one is missing. */
async function reopen(path: string): Promise<FileHandle> {
  return open(path, 'r+').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return createPrivateFile(path);
  });
}
