import type { Database } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import type { Context } from '../waitlist/queue/context.ts';
import type { Job } from './lane-state.ts';

/**
 * Erasing somebody must stop what other processes hold in memory, without asking each of them. So:
 * the first byte of an attempt leaves within this time of a moment at which the database said that the claim stood
 * and the event was not erased; and an erasure that finds a claim waits this long after its commit, or until the
 * attempt is in the log. Durations of one process are compared with those of another, clocks never are.
 */
export const BEGIN_WITHIN_MS = 1_000;

/** Leave to begin an attempt, good for a moment. */
export class Permit {
  /** What the event told is gone. */
  erased = false;
  #until: number;
  #ended = false;
  readonly #ask: () => Promise<void>;

  /** `checkedAt`: before the database was asked, by the monotonic clock. */
  constructor(checkedAt: number, ask: () => Promise<void>) {
    this.#until = checkedAt + BEGIN_WITHIN_MS;
    this.#ask = ask;
  }

  /** To be asked right before the first byte is written, with nothing awaited in between. */
  readonly isGiven = (): boolean => !this.#ended && performance.now() < this.#until;

  /** Asks the database where the moment has passed; false: this attempt must not begin any more. */
  async renew(): Promise<boolean> {
    while (!this.#ended && !this.isGiven()) await this.#ask();
    return !this.#ended;
  }

  extend(checkedAt: number): void {
    this.#until = checkedAt + BEGIN_WITHIN_MS;
  }

  end(erased: boolean): void {
    this.#ended = true;
    this.erased = erased;
  }
}

interface StandingRow {
  event_id: Uint8Array;
  token: Uint8Array | null;
  /** null: erased. */
  told: number | null;
}

const findStanding = statement<
  { queueId: number; channel: string; targetId: Uint8Array; eventIds: unknown },
  StandingRow
>((db, parameter) =>
  db.query
    .selectFrom('delivery as d')
    .leftJoin('event as e', (join) =>
      join
        .onRef('e.queue_id', '=', 'd.queue_id')
        .onRef('e.id', '=', 'd.event_id')
        .on('e.body', 'is not', null),
    )
    .select(['d.event_id', 'd.token', 'e.created_at as told'])
    .where('d.queue_id', '=', parameter('queueId'))
    .where('d.channel', '=', parameter('channel'))
    .where('d.target_id', '=', parameter('targetId'))
    .where((e) => db.inBytes(e.ref('d.event_id'), parameter('eventIds'))),
);

/** One question at a time for each line, for all of its jobs at once: those that have not begun will need it next. */
export async function askAgain({ db, log }: Context, { line }: Job): Promise<void> {
  line.renewing ??= renewAll();
  await line.renewing;

  async function renewAll(): Promise<void> {
    try {
      await renewPermits(db, [...line.underWay, ...line.waiting]);
    } catch (error) {
      log.warn({ reason: (error as Error).message }, 'deliveries wait: the database did not answer');
      for (const { permit } of line.underWay) if (!permit.isGiven()) permit.end(false);
    } finally {
      line.renewing = undefined;
    }
  }
}

async function renewPermits(db: Database, jobs: readonly Job[]): Promise<void> {
  const [first] = jobs;
  if (!first) return;
  const { queueId, channel, targetId } = first.line.lane;
  const eventIds = db.bytesList(jobs.map(({ delivery }) => delivery.eventId));
  const checkedAt = performance.now();
  const rows = await findStanding.read(db, { queueId, channel, targetId, eventIds });
  const byEvent = new Map(rows.map((row) => [nameOf(row.event_id), row]));
  for (const { permit, delivery, token, startBefore } of jobs) {
    const row = byEvent.get(nameOf(delivery.eventId));
    const ours = row?.token && Buffer.compare(row.token, token) === 0;
    if (!ours || checkedAt >= startBefore) permit.end(false);
    else if (row.told === null) permit.end(true);
    else permit.extend(checkedAt);
  }
}

function nameOf(id: Uint8Array): string {
  return Buffer.from(id).toString('latin1');
}
