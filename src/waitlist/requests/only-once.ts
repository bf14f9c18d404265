import type { Trx } from '../../db/database.ts';
import { holdTransaction } from '../../db/held-transaction.ts';
import { sharedNow } from '../../db/shared-clock.ts';
import { localCounts } from '../../lib/counts.ts';
import { DoorlistError } from '../../lib/errors.ts';
import type { Target } from '../../outbox/target.ts';
import type { Context } from '../queue/context.ts';
import { createRegistry } from '../queue/registry.ts';
import { claimKey, findAnswer, type KeyedRequest, keepAnswer } from './repeated-requests.ts';

/** For work whose changes are one transaction, and that others learn of once it is committed. */
export interface HeldContext extends Context {
  readonly held: NonNullable<Context['held']>;
}

class KeyTaken extends Error {
  override name = 'KeyTaken';
}

/**
 * Does the work of a request once, however often it is sent: its changes and its answer are one transaction. What changed
 * nothing is not remembered, because it can be done again.
 */
export async function onlyOnce<T>(
  context: Context,
  request: KeyedRequest,
  work: (held: HeldContext) => Promise<T>,
): Promise<{ answer: T; isRepeated: boolean }> {
  const { db } = context;
  const earlier = async () => {
    const found = await findAnswer<T>({ db, now: await sharedNow(context) }, request);
    return found && { ...found, isRepeated: true };
  };
  const claim = async (trx: Trx) => {
    if (!(await claimKey(trx, request, await sharedNow(context, trx)))) throw new KeyTaken();
  };
  const attempt = async () => {
    try {
      const keep = (trx: Trx, answer: T) => keepAnswer(trx, request, answer);
      return {
        answer: await inOneTransaction(context, { first: claim, last: keep }, work),
        isRepeated: false,
      };
    } catch (error) {
      // What refused this one may be what another request with the same key has just done.
      const isRefused = error instanceof DoorlistError && !request.arrivesLater;
      const known = isRefused || error instanceof KeyTaken ? await earlier() : undefined;
      if (known) return known;
      throw error;
    }
  };
  return (request.arrivesLater ? undefined : await earlier()) ?? db.repeat(attempt);
}

interface Steps<T> {
  /** Before the first change. */
  first: (trx: Trx, held: HeldContext) => Promise<void>;
  /** After the last change, if there was one. */
  last?: (trx: Trx, result: T) => Promise<void>;
  /** Whether `first` runs in any case. */
  isChange?: boolean;
}

/** Commits all that the work changes at its end, or nothing. */
export async function inOneTransaction<T>(
  context: Context,
  { first, last = async () => {}, isChange = false }: Steps<T>,
  work: (held: HeldContext) => Promise<T>,
): Promise<T> {
  const held = holdTransaction(context.db, (trx) => first(trx, inside));
  const afterwards: ((context: Context) => void | Promise<void>)[] = [];
  const targets: Target[] = [];
  // Not the shared one: what that would cache may be rolled back.
  const registry = createRegistry(held.db, context.keyring, localCounts());
  const recheck = () => {
    registry.recheck();
    afterwards.push(context.registry.recheck);
  };
  const inside: HeldContext = {
    ...context,
    db: held.db,
    registry: { ...registry, recheck },
    wakeUps: { ...context.wakeUps, send: (woken) => void targets.push(...woken) },
    held: {
      get hasBegun() {
        return held.trx !== undefined;
      },
      outside: context,
      afterCommit: (work) => void afterwards.push(work),
    },
  };
  try {
    const result = await work(inside);
    if (isChange) await held.begin();
    if (held.trx) await last(held.trx, result);
    await held.commit();
    for (const each of afterwards) await each(context);
    if (targets.length > 0) context.wakeUps.send(targets);
    return result;
  } catch (error) {
    await held.rollback();
    throw error;
  }
}
