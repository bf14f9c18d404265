import { type FileHandle, open, rm } from 'node:fs/promises';
import type { RowProblem } from './import-row.ts';

/** About a hundred thousand rows: more than anybody reads, and no file of nonsense fills the disk. */
export const ERRORS_FILE_BYTES_MAX = 10 * 1024 * 1024;
const FULL = `${JSON.stringify({ line: null, field: null, reason: 'this file is full: further bad rows are only counted' })}\n`;

/** Where bad rows are told: line, field and reason, never what the row says. It exists once there is one. */
export interface ErrorsFile {
  /** Returns how long the file is now. */
  append(problems: readonly RowProblem[]): Promise<number>;
  close(): Promise<void>;
}

/** Goes on behind what the last commit of the import knows of: the rows behind it will be read again. */
export async function openErrorsFile(path: string, keepBytes: number): Promise<ErrorsFile> {
  let file: FileHandle | undefined;
  let size = keepBytes;
  if (keepBytes === 0) await rm(path, { force: true });
  return {
    append: async (problems) => {
      if (problems.length === 0 || size >= ERRORS_FILE_BYTES_MAX) return size;
      if (!file) {
        file = await open(path, keepBytes === 0 ? 'w' : 'r+').catch(() => open(path, 'w'));
        size = Math.min(size, (await file.stat()).size);
        await file.truncate(size);
      }
      const bytes = Buffer.from(linesFor(problems, ERRORS_FILE_BYTES_MAX - size));
      await file.write(bytes, 0, bytes.length, size);
      await file.datasync(); // The commit that follows says that these rows are done with.
      size += bytes.length;
      return size;
    },
    close: async () => {
      await file?.close();
    },
  };
}

/** Up to the line that fills the room, and then that there would be more. */
function linesFor(problems: readonly RowProblem[], room: number): string {
  let lines = '';
  for (const problem of problems) {
    lines += `${JSON.stringify(problem)}\n`;
    if (lines.length >= room) return lines + FULL;
  }
  return lines;
}
