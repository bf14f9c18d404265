import { sharedNow } from '../../../db/shared-clock.ts';
import type { Status } from '../../../db/tables.ts';
import { DoorlistError, notFound } from '../../../lib/errors.ts';
import { formatId, parseId } from '../../../lib/ids.ts';
import { countSegment } from '../../entries/browse-entries.ts';
import { countEntries } from '../../entries/entries.ts';
import type { Segment } from '../../entries/segment.ts';
import { createJob, endJob, FILE_MS } from '../../jobs/jobs.ts';
import { changeQueue } from '../../queue/change-queue.ts';
import type { Context } from '../../queue/context.ts';
import type { Queue } from '../../queue/queue.ts';

export const EXPORT_FORMATS = ['csv', 'json', 'ndjson'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

const KIND = 'export';
/** Counting a segment reads it. */
const COUNTED_MAX = 10_000;

export interface ExportInput {
  format: ExportFormat;
  status: Status | null;
  segment: Omit<Segment, 'status'> | null;
}

/**
 * Creates an export and returns its id. Nothing is stored but the choice: the file is read from the queue while
 * it is downloaded.
 */
export async function createExport(context: Context, queue: Queue, input: ExportInput): Promise<string> {
  const { segment, status } = input;
  const total = segment
    ? await countSegment(context, queue, { ...segment, ...(status ? { status } : {}) }, COUNTED_MAX)
    : await countEntries(context, queue, status ?? undefined);
  const { id } = await changeQueue(context, queue, async (change) =>
    createJob(context, change, { kind: KIND, input, runner: 'request', total }),
  );
  return formatId('job', id);
}

export interface OpenExport {
  id: Buffer;
  input: ExportInput;
  /** The first download moves the progress of the job. */
  isFirst: boolean;
}

/** Starts a download, which is recorded in the audit trail. */
export async function openExport(context: Context, queue: Queue, jobId: string): Promise<OpenExport> {
  const id = parseId('job', jobId);
  return changeQueue(context, queue, async ({ trx, now }) => {
    const row = id
      ? await trx
          .selectFrom('job')
          .select(['input', 'created_at', 'outcome', 'cancel_at'])
          .where('queue_id', '=', queue.id)
          .where('id', '=', id)
          .where('kind', '=', KIND)
          .executeTakeFirst()
      : undefined;
    if (!id || !row) throw notFound('there is no such export');
    if (row.cancel_at !== null || row.outcome === 'cancelled')
      throw new DoorlistError('conflict', 'this export was cancelled');
    if (now - row.created_at >= FILE_MS)
      throw new DoorlistError('expired', 'this export has expired: create a new one');
    const input = queue.vault.open<ExportInput>('job.input', id, row.input);
    const { format, status, segment } = input;
    await context.audit?.(trx, {
      action: 'entries.exported',
      object: { kind: 'waitlist', id: queue.waitlist.id },
      after: {
        environment: queue.environment,
        job: jobId,
        format,
        ...(status ? { status } : {}),
        ...(segment ? { segment: true } : {}),
      },
    });
    return { id, input, isFirst: row.outcome === null };
  });
}

/** Without the lock of the queue: signups must not wait for a download. */
export async function noteExported(context: Context, queue: Queue, id: Buffer, done: number): Promise<void> {
  await context.db.query
    .updateTable('job')
    .set({ done, updated_at: await sharedNow(context) })
    .where('queue_id', '=', queue.id)
    .where('id', '=', id)
    .where('finished_at', 'is', null)
    .execute();
}

export async function finishExport(context: Context, queue: Queue, id: Buffer, done: number): Promise<void> {
  await noteExported(context, queue, id, done);
  await changeQueue(context, queue, async (change) => {
    const row = await change.trx
      .selectFrom('job')
      .select('finished_at')
      .where('queue_id', '=', queue.id)
      .where('id', '=', id)
      .executeTakeFirst();
    if (row?.finished_at === null) endJob(change, id, 'done', { result: { entries: done } });
  });
}
