import { SchemaSuperseded } from '../../db/database.ts';
import type { Log } from '../../lib/log.ts';
import { reportState } from '../../lib/state-log.ts';
import { Unreadable } from '../../vault/crypto.ts';
import type { Context } from './context.ts';
import type { Queue } from './queue.ts';
import type { Registry } from './registry.ts';

/** Few, because metrics count by them. */
export const STORED = [
  'queue',
  'entry',
  'wave',
  'saved segment',
  'template',
  'webhook endpoint',
  'code',
] as const;

/** Something that is stored, as the log and the metrics name it. */
export interface Stored {
  what: (typeof STORED)[number];
  id: string | number;
  queue?: number;
  /** What the log says of one that is damaged. */
  reason?: string;
}

const DAMAGED = 'damaged';
/** What was damaged when it was last read, so that what is well costs nothing. */
const known = new WeakMap<Log, Set<string>>();

function report(log: Log, { what, id, queue }: Stored, reason: string | undefined): void {
  const name = `${what} ${id}`;
  const damaged = known.get(log) ?? new Set();
  known.set(log, damaged);
  if (reason === undefined && !damaged.delete(name)) return;
  if (reason !== undefined) damaged.add(name);
  if (reason === undefined) reportState(log, name, 'ok');
  else reportState(log, name, DAMAGED, { what, id, ...(queue === undefined ? {} : { queue }), reason });
}

/**
 * Where there are many, one that is damaged must not hold up or hide the others: it is logged once, until it can be read
 * again, and undefined is returned.
 */
export function readable<T>({ log }: { readonly log: Log }, stored: Stored, open: () => T): T | undefined {
  try {
    const opened = open();
    report(log, stored, undefined);
    return opened;
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    report(log, stored, stored.reason ?? 'it cannot be decrypted');
    return undefined;
  }
}

type Finder = { readonly registry: Registry; readonly log: Log };

/** undefined if it was deleted, or if its keys are damaged. */
export async function readableQueue({ registry, log }: Finder, id: number): Promise<Queue | undefined> {
  const stored: Stored = { what: 'queue', id, queue: id };
  try {
    const queue = await registry.queueById(id);
    report(log, stored, undefined);
    return queue;
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    report(log, stored, 'its keys cannot be decrypted');
    return undefined;
  }
}

/** In the same order. One after the other, because most are cached. */
export async function readableQueues(
  context: Finder,
  ids: readonly number[],
): Promise<(Queue | undefined)[]> {
  const queues: (Queue | undefined)[] = [];
  for (const id of ids) queues.push(await readableQueue(context, id));
  return queues;
}

/** Where each row belongs to a queue: those whose queue can be read. */
export async function withQueues<Row extends { queue_id: number }>(
  context: Finder,
  rows: readonly Row[],
): Promise<{ queue: Queue; row: Row }[]> {
  const queues = await readableQueues(
    context,
    rows.map(({ queue_id }) => queue_id),
  );
  return rows.flatMap((row, index) => {
    const queue = queues[index];
    return queue ? [{ queue, row }] : [];
  });
}

/**
 * Does the same for many queues, one after the other. One that is damaged, or for which it fails, does not hold up the
 * others: it is logged once, and tried again the next time. Returns the ids of those for which it was done.
 */
export async function forEachQueue(
  context: Context,
  task: string,
  ids: readonly number[],
  work: (context: Context, queue: Queue) => Promise<unknown>,
): Promise<number[]> {
  const done: number[] = [];
  for (const id of ids) {
    const name = `${task}, queue ${id}`;
    try {
      const queue = await readableQueue(context, id);
      if (!queue) continue;
      await work(context, queue);
      done.push(id);
      reportState(context.log, name, 'ok');
    } catch (error) {
      if (error instanceof SchemaSuperseded) throw error; // There is nothing to try again.
      reportState(context.log, name, 'failing', { queue: id, reason: (error as Error).message });
    }
  }
  return done;
}
