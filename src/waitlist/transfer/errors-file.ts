import { type FileHandle, open, rm } from 'node:fs/promises';
import { createPrivateFile } from '../../private-file.ts';
import type { RowProblem } from './import-row.ts';

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
  if (keepBytes === 0) await rm(path, { force: true }); // An older one would tell of other rows.
  return {
    append: async (problems) => {
      if (problems.length === 0) return size;
      if (!file) {
        file = keepBytes === 0 ? await createPrivateFile(path) : await reopen(path);
        size = Math.min(size, (await file.stat()).size);
        await file.truncate(size);
      }
      const bytes = Buffer.from(problems.map((problem) => `${JSON.stringify(problem)}\n`).join(''));
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

/** For an import that goes on; where its file is gone, a new one. */
async function reopen(path: string): Promise<FileHandle> {
  return open(path, 'r+').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return createPrivateFile(path);
  });
}
