import { sql } from 'kysely';
import type { Database, Trx } from '../db/database.ts';
import type { Target } from './target.ts';

/** A delivery that this process has claimed and may attempt until the lease ends. */
export interface Delivery<Setup = unknown> {
  readonly target: Target;
  readonly eventId: Uint8Array;
  /** Attempts in the current retry schedule, including this one. */
  readonly tries: number;
  /** The number of this attempt, counted from the first. */
  readonly attempt: number;
  /** Sealed, or null if it has been erased. */
  readonly body: Uint8Array | null;
  /** The claim is valid as long as the row has this token. */
  readonly token: Uint8Array;
  /** On the monotonic clock. An attempt that starts later could outlast the lease. */
  readonly startBefore: number;
  readonly permit: Permit;
  /** As of when the permit was given. */
  setup: Setup;
}

/** The response is text until the channel seals it. */
export interface Attempt<Response = Uint8Array> {
  ok: boolean;
  status: number | null;
  /** Our own wording. Anything the receiver said is only in `response`, which is sealed. */
  error: string | null;
  /** The beginning of the response, or null if there was none. */
  response: Response | null;
  durationMs: number;
  retryAfterMs: number;
  /** A permanent rejection, so there is no retry. */
  final?: boolean;
  /** Nothing left this process, so the attempt says nothing about the receiver. */
  unsent?: boolean;
  /**
   * Neither the delivery nor its target is at fault: no retry is used up, and the delivery is due again after
   * this delay.
   */
  deferMs?: number;
  /**
   * Earlier deliveries that were given up for a reason that was not theirs, as it turns out. They are due again
   * together with this one.
   */
  reopens?: readonly Pick<Delivery, 'target' | 'eventId' | 'token' | 'tries'>[];
}

export const ERASED: Attempt<never> = {
  ok: false,
  status: null,
  error: 'not sent: its content was erased',
  response: null,
  durationMs: 0,
  retryAfterMs: 0,
  final: true,
  unsent: true,
};

/** The row that a sealed response is bound to. */
export function responseRow(
  { id }: Pick<Target, 'id'>,
  { eventId, attempt }: { eventId: Uint8Array; attempt: number },
): Buffer {
  return Buffer.concat([id, eventId, Buffer.from(String(attempt))]);
}

/**
 * Erasing a person must stop copies in the memory of other processes without contacting them. So an attempt
 * sends its first byte within this time after the database confirmed its claim, and an erasure that finds a
 * claim waits this long, or until the attempt is logged. Only durations are compared, never clocks.
 */
export const BEGIN_WITHIN_MS = 1_000;

/** Allows an attempt to start, for a short time. */
export class Permit {
  erased = false;
  #until: number;
  #ended = false;
  readonly #ask: () => Promise<void>;

  /** `checkedAt`: just before the database was asked, on the monotonic clock. */
  constructor(checkedAt: number, ask: () => Promise<void>) {
    this.#until = checkedAt + BEGIN_WITHIN_MS;
    this.#ask = ask;
  }

  /** Call it right before sending the first byte, without awaiting anything in between. */
  readonly isGiven = (): boolean => !this.#ended && performance.now() < this.#until;

  /** Asks the database again if the permit has run out. Returns false if this attempt must not start. */
  async renew(): Promise<boolean> {
    while (!this.#ended && !this.isGiven()) await this.#ask();
    return !this.#ended;
  }

  extend(checkedAt: number): void {
    this.#until = checkedAt + BEGIN_WITHIN_MS;
  }

  end(): void {
    this.#ended = true;
  }

  /** What it was for must not be sent by anybody. */
  endErased(): void {
    this.#ended = true;
    this.erased = true;
  }
}

type Claimed = Pick<Delivery, 'target' | 'eventId' | 'token'>;

/** Keeps other processes from claiming a delivery during a long attempt. */
export async function extendLease(
  { query }: Database,
  { target, eventId, token }: Claimed,
  until: number,
): Promise<void> {
  await query
    .updateTable('delivery')
    .set({ due_at: until })
    .where('queue_id', '=', target.queueId)
    .where('channel', '=', target.channel)
    .where('target_id', '=', target.id)
    .where('event_id', '=', eventId)
    .where('token', '=', token)
    .execute();
}

/** Releases claimed deliveries of one target that were never attempted. */
export async function giveBack(trx: Trx, claimed: readonly Claimed[], now: number): Promise<void> {
  for (const [token, some] of Map.groupBy(claimed, (one) => one.token)) {
    const [{ target }] = some as [Claimed];
    const eventIds = some.map(({ eventId }) => eventId);
    await trx
      .updateTable('delivery')
      .set({ due_at: now, token: null, tries: sql`tries - 1`, attempts: sql`attempts - 1` })
      .where('queue_id', '=', target.queueId)
      .where('channel', '=', target.channel)
      .where('target_id', '=', target.id)
      .where('event_id', 'in', eventIds)
      .where('token', '=', token)
      .execute();
  }
}
