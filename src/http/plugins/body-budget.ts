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
export function bodyBudgets(): BodyBudgets {
  return {
    keyed: bodyBudget({ total: 128 * MIB, perClient: 64 * MIB }),
    open: bodyBudget({ total: 64 * MIB, perClient: 16 * MIB }),
  };
}

/** Bytes of bodies being received, including those that never finish. */
export function bodyBudget(most: { total: number; perClient: number }): BodyBudget {
  const held = new Map<string, number>();
  let total = 0;
  return {
    hold: (client, bytes) => {
      const own = (held.get(client) ?? 0) + bytes;
      if (own > most.perClient)
        throw new DoorlistError(
          'rate_limited',
          'too many large requests from this address at once: slow down',
          1,
        );
      if (total + bytes > most.total)
        throw unavailable('too many large requests are being received: try again in a moment');
      total += bytes;
      held.set(client, own);
    },
    release: (client, bytes) => {
      total -= bytes;
      const own = (held.get(client) ?? 0) - bytes;
      if (own > 0) held.set(client, own);
      else held.delete(client);
    },
  };
}
