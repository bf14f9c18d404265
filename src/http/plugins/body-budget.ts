import type { Counts, Sum, Tally } from '../../lib/counts.ts';
import { DoorlistError, unavailable } from '../../lib/errors.ts';

const MIB = 1024 * 1024;

interface BodyBudget {
  /** Reserves bytes for a client's body. Throws if there is no room. */
  hold(client: string, bytes: number): void;
  release(client: string, bytes: number): void;
}

export interface BodyBudgets {
  /** Separate room for clients with a server key, which others cannot use up. */
  keyed: BodyBudget;
  open: BodyBudget;
}

/** Enough for a few of the largest bodies per client, and for a few such clients. */
export function bodyBudgets(counts: Counts): BodyBudgets {
  const budget = (of: 'keyed' | 'open', most: Most) =>
    bodyBudget(most, counts.tally('held', `${of} bodies`), counts.sum(`${of} bodies`));
  return {
    keyed: budget('keyed', { total: 128 * MIB, perClient: 64 * MIB }),
    open: budget('open', { total: 64 * MIB, perClient: 16 * MIB }),
  };
}

interface Most {
  total: number;
  perClient: number;
}

/** Bytes of bodies being received, including those that never finish. */
export function bodyBudget(most: Most, held: Tally, total: Sum): BodyBudget {
  return {
    hold: (client, bytes) =>
      held.change(client, (own) => {
        if (own.count + bytes > most.perClient)
          throw new DoorlistError(
            'rate_limited',
            'too many large requests from this address at once: slow down',
            1,
          );
        if (!total.add(bytes, most.total))
          throw unavailable('too many large requests are being received: try again in a moment');
        own.count += bytes;
      }),
    release: (client, bytes) => {
      total.add(-bytes);
      held.change(client, (own) => {
        own.count -= bytes;
      });
    },
  };
}
