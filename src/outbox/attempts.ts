import { Unreadable } from '../vault/crypto.ts';
import type { Context } from '../waitlist/queue/context.ts';
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

export const ERASED_ERROR = 'not sent: what it told was erased';

const ERASED: Attempt = {
  ok: false,
  status: null,
  error: ERASED_ERROR,
  response: null,
  durationMs: 0,
  retryAfterMs: 0,
  final: true,
  unsent: true,
};

/** undefined: it did not come to an attempt. When its lease ends, it is claimed again. */
export async function attemptJob({ log }: Context, job: Job): Promise<Attempt | undefined> {
  const { line, queue, setup, delivery, permit, token } = job;
  if (delivery.body === null) return ERASED;
  try {
    const body = queue.vault.open<string>('event.body', delivery.eventId, delivery.body);
    const attempt = await line.channel.send(setup, queue, delivery, body, { permit, token });
    return attempt ?? (permit.erased ? ERASED : undefined);
  } catch (error) {
    const reason =
      error instanceof Unreadable ? 'sealed data of an event does not open' : (error as Error).message;
    log.error({ queue: queue.id, reason }, 'a delivery could not be attempted');
    return { ...ERASED, final: false, error: 'not sent: a fault of this service, see its log' };
  }
}

export function toFinished({ job, attempt, at }: Done, now: number, random: () => number): Finished {
  const { line, queue, delivery, token } = job;
  const { eventId, tries } = delivery;
  const over = attempt.ok || attempt.final === true;
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
