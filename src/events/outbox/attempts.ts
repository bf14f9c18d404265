import { Unreadable } from '../../vault/crypto.ts';
import type { Context } from '../../waitlist/context.ts';
import type { Lane } from './bell.ts';
import type { Attempt } from './channel.ts';
import type { Claimed, Finished } from './claims.ts';
import type { Job } from './lane-state.ts';
import { delayAfter } from './schedule.ts';

/** An attempt that has ended and is yet to be written down. */
export interface Done {
  job: Job;
  attempt: Attempt;
  at: number;
}

const ERASED: Attempt = {
  ok: false,
  status: null,
  error: 'not sent: what it told was erased',
  response: null,
  durationMs: 0,
  retryAfterMs: 0,
};

export async function attemptJob(
  { log }: Context,
  { line, queue, setup, delivery, token }: Job,
): Promise<Attempt> {
  if (delivery.body === null) return ERASED;
  try {
    const body = queue.vault.open<string>('event.body', delivery.eventId, delivery.body);
    return await line.channel.send(setup, queue, delivery, body, token);
  } catch (error) {
    const reason =
      error instanceof Unreadable ? 'sealed data of an event does not open' : (error as Error).message;
    log.error({ queue: queue.id, reason }, 'a delivery could not be attempted');
    return { ...ERASED, error: 'not sent: a fault of this service, see its log' };
  }
}

export function toFinished({ job, attempt, at }: Done, now: number, random: () => number): Finished {
  const { line, queue, delivery, token } = job;
  const { eventId, tries, body } = delivery;
  const over = attempt.ok || attempt.final === true || body === null;
  const delay = over ? null : (attempt.deferMs ?? delayAfter(tries, attempt.retryAfterMs, random));
  const row = responseRow(line.lane, delivery);
  return {
    lane: line.lane,
    eventId,
    token,
    tries: over || attempt.deferMs === undefined ? tries : tries - 1,
    attempt: delivery.attempt,
    at: at - attempt.durationMs,
    durationMs: attempt.durationMs,
    status: attempt.status,
    error: attempt.error,
    response: attempt.response === null ? null : queue.vault.seal('delivery.response', row, attempt.response),
    dueAt: delay === null ? null : now + delay,
    deliveredAt: attempt.ok ? now : null,
    failedAt: attempt.ok || delay !== null ? null : now,
  };
}

/** What a sealed response is tied to. */
export function responseRow(
  { targetId }: Pick<Lane, 'targetId'>,
  { eventId, attempt }: Pick<Claimed, 'eventId' | 'attempt'>,
): Buffer {
  return Buffer.concat([targetId, eventId, Buffer.from(String(attempt))]);
}
