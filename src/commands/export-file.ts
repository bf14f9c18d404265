import { open, rename, rm } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { createPrivateFile, findOutputFile, standardOutput, writeProblem } from '../lib/files.ts';
import type { Context } from '../waitlist/queue/context.ts';
import type { Queue } from '../waitlist/queue/queue.ts';
import { type ExportOptions, exportEntries } from '../wire/export.ts';
import { printable } from './printable.ts';
import { transferProgress } from './transfer-text.ts';

/** The file gets its name once it is complete. It contains personal data, so only its owner can read it. */
export async function writeExport(
  context: Context,
  queue: Queue,
  options: ExportOptions,
  out: string | undefined,
): Promise<number> {
  const target = out === undefined ? undefined : await openExport(out);
  const stream = target?.stream ?? standardOutput();
  stream.on('error', () => {}); // The next write throws it.
  const watched = out === undefined && process.stdout.isTTY;
  const progress = transferProgress();
  let written = 0;
  // There may be no running server to do this. On a standby it is not allowed, and the export is only slower.
  await context.db.refreshStatistics().catch(() => {});
  try {
    for await (const { text, entries, total } of exportEntries(context, queue, options)) {
      written += entries;
      await writeText(
        stream,
        watched ? printable(text.replaceAll('\r\n', '\n')) : text,
        out ?? 'standard output',
      );
      if (out !== undefined && total > 0) progress.entries(written, total);
    }
    if (target) {
      stream.end();
      await finished(stream);
      await target.finish();
    }
  } catch (error) {
    await target?.discard();
    throw error;
  } finally {
    progress.end();
  }
  return written;
}

interface ExportFile {
  stream: Writable;
  finish(): Promise<void>;
  discard(): Promise<void>;
}

async function openExport(out: string): Promise<ExportFile> {
  const { path: file, isStream } = await findOutputFile(out);
  if (isStream) {
    const nothing = async () => {};
    return { stream: (await open(file, 'a')).createWriteStream(), finish: nothing, discard: nothing };
  }
  const unfinished = `${file}.part`;
  return {
    stream: (await createPrivateFile(unfinished)).createWriteStream(),
    finish: () => rename(unfinished, file),
    discard: () => rm(unfinished, { force: true }),
  };
}

function writeText(stream: Writable, text: string, name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => {
      if (error) reject(writeProblem(name, error));
      else resolve();
    });
  });
}
