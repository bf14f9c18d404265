import { invalid } from '../../../lib/errors.ts';
import { freeBuffers } from '../../../lib/heap-growth.ts';
import type { Context } from '../../queue/context.ts';
import type { Queue } from '../../queue/queue.ts';
import type { ImportSource } from '../files/raw-row.ts';
import { ERRORS_FILE_BYTES_MAX, linesFor, type TextFile } from './errors-file.ts';
import type { RowProblem } from './import-row.ts';

const CHUNK_BYTES = 256 * 1024;
/** Rows are read in the order of the file: what is read next, and what a row began in. */
const CHUNKS_KEPT = 2;
/** Sealing or opening one leaves a megabyte behind. */
const CHUNKS_PER_CLEANING = 8;

type Part = 'file' | 'errors' | 'rows';

/** Stores a file in sealed chunks as it arrives, and returns its size. */
export async function storeUpload(
  context: Context,
  queue: Queue,
  id: Buffer,
  bytes: AsyncIterable<Buffer>,
): Promise<number> {
  let size = 0;
  let waiting: Buffer[] = [];
  let length = 0;
  const flush = async (rest: boolean) => {
    let all = Buffer.concat(waiting, length);
    while (all.length >= CHUNK_BYTES || (rest && all.length > 0)) {
      const chunk = all.subarray(0, CHUNK_BYTES);
      await writeChunk(context, queue, id, 'file', size, chunk);
      size += chunk.length;
      if ((size / CHUNK_BYTES) % CHUNKS_PER_CLEANING === 0) freeBuffers();
      all = all.subarray(chunk.length);
    }
    waiting = [all];
    length = all.length;
  };
  for await (const chunk of bytes) {
    waiting.push(chunk);
    length += chunk.length;
    if (length >= CHUNK_BYTES) await flush(false);
  }
  await flush(true);
  if (size === 0) throw invalid('body: is empty');
  return size;
}

async function writeChunk(
  { db }: Context,
  queue: Queue,
  id: Buffer,
  part: Part,
  position: number,
  bytes: Buffer,
): Promise<void> {
  const sealed = queue.vault.seal('import_chunk.sealed', rowOf(id, part, position), bytes.toString('base64'));
  await db.query
    .insertInto('import_chunk')
    .values({ queue_id: queue.id, job_id: id, part, position, sealed })
    .execute();
}

function rowOf(id: Buffer, part: Part, position: number): Buffer {
  return Buffer.concat([id, Buffer.from(`${part} ${position}`)]);
}

async function readChunk(
  { db }: Context,
  queue: Queue,
  id: Buffer,
  part: Part,
  position: number,
): Promise<Buffer | undefined> {
  const row = await db.query
    .selectFrom('import_chunk')
    .select('sealed')
    .where('queue_id', '=', queue.id)
    .where('job_id', '=', id)
    .where('part', '=', part)
    .where('position', '=', position)
    .executeTakeFirst();
  if (!row) return undefined;
  const text = queue.vault.open<string>('import_chunk.sealed', rowOf(id, part, position), row.sealed);
  return Buffer.from(text, 'base64');
}

/** Reads an uploaded file. The chunks read last are kept. */
export function uploadedFile(context: Context, queue: Queue, id: Buffer): ImportSource {
  const kept = new Map<number, Buffer>();
  let opened = 0;
  const chunkAt = async (position: number): Promise<Buffer | undefined> => {
    const known = kept.get(position);
    if (known) kept.delete(position); // Added again below, to keep the map sorted by use.
    const chunk = known ?? (await readChunk(context, queue, id, 'file', position));
    if (!chunk) return undefined;
    if (!known) opened += 1;
    if (!known && opened % CHUNKS_PER_CLEANING === 0) freeBuffers();
    kept.set(position, chunk);
    if (kept.size > CHUNKS_KEPT) kept.delete(kept.keys().next().value ?? -1);
    return chunk;
  };
  return {
    read: async (into, offset, length, position) => {
      let bytesRead = 0;
      while (bytesRead < length) {
        const at = position + bytesRead;
        const start = Math.floor(at / CHUNK_BYTES) * CHUNK_BYTES;
        const chunk = await chunkAt(start);
        const copied =
          chunk?.copy(into, offset + bytesRead, at - start, at - start + length - bytesRead) ?? 0;
        if (copied === 0) break;
        bytesRead += copied;
      }
      return { bytesRead };
    },
  };
}

/** A text in the database, sealed. Continues where the import's last commit left off. */
export async function storedText(
  context: Context,
  queue: Queue,
  id: Buffer,
  part: 'errors' | 'rows',
  keepBytes: number,
  full?: string,
): Promise<TextFile> {
  let size = keepBytes;
  await context.db.query
    .deleteFrom('import_chunk')
    .where('queue_id', '=', queue.id)
    .where('job_id', '=', id)
    .where('part', '=', part)
    .where('position', '>=', keepBytes)
    .execute();
  return {
    append: async (lines) => {
      if (lines.length === 0 || size >= ERRORS_FILE_BYTES_MAX) return size;
      const bytes = Buffer.from(linesFor(lines, ERRORS_FILE_BYTES_MAX - size, full));
      await writeChunk(context, queue, id, part, size, bytes);
      size += bytes.length;
      return size;
    },
    close: async () => {},
  };
}

/** A stored text, some at a time. */
export async function* readText(
  context: Context,
  queue: Queue,
  id: Buffer,
  part: 'errors' | 'rows',
): AsyncGenerator<Buffer> {
  for (let position = 0; ; ) {
    const bytes = await readChunk(context, queue, id, part, position);
    if (!bytes) return;
    yield bytes;
    position += bytes.length;
  }
}

/** The bad rows of an import, in the order of the file, some at a time. */
export async function* readErrors(context: Context, queue: Queue, id: Buffer): AsyncGenerator<RowProblem[]> {
  for await (const bytes of readText(context, queue, id, 'errors')) {
    yield bytes
      .toString()
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as RowProblem);
  }
}

export async function eraseUpload(
  executor: Context['db']['query'],
  queue: Queue,
  id: Buffer,
  parts: readonly Part[] = ['file'],
): Promise<void> {
  await executor
    .deleteFrom('import_chunk')
    .where('queue_id', '=', queue.id)
    .where('job_id', '=', id)
    .where('part', 'in', [...parts])
    .execute();
}
