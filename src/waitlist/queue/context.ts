import type { Database } from '../../db/database.ts';
import type { Counts } from '../../lib/counts.ts';
import type { Id } from '../../lib/ids.ts';
import type { Log } from '../../lib/log.ts';
import type { Meter, Tracer } from '../../lib/telemetry.ts';
import type { Clock } from '../../lib/time.ts';
import type { WakeUps } from '../../outbox/message.ts';
import type { Keyring } from '../../vault/keyring.ts';
import type { AuditTrail } from './audit-trail.ts';
import type { Listener } from './listener.ts';
import type { Registry } from './registry.ts';

/** What every domain verb needs. HTTP, the command line and jobs all pass it in. */
export interface Context {
  readonly db: Database;
  readonly keyring: Keyring;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: Meter;
  /** What is counted in memory, for limits. */
  readonly counts: Counts;
  /** Set while tracing is on. */
  readonly tracer?: Tracer | undefined;
  readonly listeners: readonly Listener[];
  /** Used when a commit left something to deliver. */
  readonly wakeUps: WakeUps;
  /** Records what an operator changes, and what people do with their own data. Not set for other changes. */
  readonly audit?: AuditTrail;
  /** Kind and id of the operator, token or command line that acts, if one does. */
  readonly actor?: string;
  /** Set for a command with a key: the first of all with this key starts a job, and the others learn which one that was. */
  readonly startOnce?: (start: (held: Context) => Promise<Id<'job'>>) => Promise<Id<'job'>>;
  /** Set while changes are committed later than where they are made. */
  readonly held?: Held;
}

interface Held {
  /** Whether there is a change already, so that its locks are held. */
  readonly hasBegun: boolean;
  /** For what takes long, and is of no use to others before the commit. */
  readonly outside: Context;
  afterCommit(work: (context: Context) => void | Promise<void>): void;
}

/** For work that must not be part of the change before it: now, unless the change is committed later. */
export async function afterCommit(
  context: Context,
  work: (context: Context) => Promise<void>,
): Promise<void> {
  if (context.held) context.held.afterCommit(work);
  else await work(context);
}
