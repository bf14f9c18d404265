import type { Database, Trx } from './database.ts';

/**
 * Makes one transaction of all that is done with `db`. It begins with the first change, and reads follow it from then
 * on. What others learn of it must wait for `commit`.
 */
export interface HeldTransaction {
  readonly db: Database;
  /** Runs right before the first change, in its transaction. */
  begin(): Promise<Trx>;
  readonly trx: Trx | undefined;
  commit(): Promise<void>;
  /** Safe to call at any time. */
  rollback(): Promise<void>;
}

interface Open {
  trx: Trx;
  end(outcome: 'commit' | 'rollback'): Promise<void>;
}

class RolledBack extends Error {
  override name = 'RolledBack';
}

export function holdTransaction(
  db: Database,
  first: (trx: Trx) => Promise<void> = async () => {},
): HeldTransaction {
  let opening: Promise<Trx> | undefined;
  let open: Open | undefined;
  /** What a part of it threw. The changes of a part cannot be undone alone, so nothing is kept. */
  let failure: { error: unknown } | undefined;

  const end = async (outcome: 'commit' | 'rollback') => {
    const ending = open;
    open = undefined;
    await ending?.end(outcome);
  };
  const rollback = () => end('rollback').catch(() => {});
  /** The rest may do what needs another transaction, so this one ends at once. */
  const orNothing = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      failure ??= { error };
      await rollback();
      throw error;
    }
  };
  const begin = (): Promise<Trx> => {
    opening ??= openTransaction(db).then((opened) => {
      open = opened;
      return orNothing(() => first(opened.trx)).then(() => opened.trx);
    });
    return opening;
  };
  const held: Database = {
    ...db,
    get query() {
      return open?.trx ?? db.query;
    },
    run: (statement, values) => (open ? open.trx.run(statement, values) : db.run(statement, values)),
    find: (lookup, key) => (open ? open.trx.run(lookup, key).then(([row]) => row) : db.find(lookup, key)),
    now: (trx) => db.now(trx ?? open?.trx),
    transaction: async (work) => {
      const trx = await begin();
      return orNothing(() => work(trx));
    },
    get unlimited() {
      return held;
    },
    replica: () => (open ? Promise.resolve(held) : db.replica()),
    wipeErased: async () => false, // Nothing is erased before the commit.
  };
  return {
    db: held,
    begin,
    get trx() {
      return open?.trx;
    },
    commit: async () => {
      if (failure) throw failure.error;
      await end('commit');
    },
    rollback,
  };
}

function openTransaction(db: Database): Promise<Open> {
  const ending = Promise.withResolvers<void>();
  return new Promise((resolve, reject) => {
    const done = db.transaction(
      async (trx) => {
        const end: Open['end'] = (outcome) => {
          if (outcome === 'commit') ending.resolve();
          else ending.reject(new RolledBack());
          return done;
        };
        resolve({ trx, end });
        await ending.promise;
      },
      { repeatable: false },
    );
    done.catch(reject);
  });
}
