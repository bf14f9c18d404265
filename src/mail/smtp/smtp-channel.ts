import { type Database, DatabaseUnavailable } from '../../db/database.ts';
import { sharedNow } from '../../db/shared-clock.ts';
import type { Log } from '../../lib/log.ts';
import { repeat } from '../../lib/promises.ts';
import { logSparingly } from '../../lib/sparing-log.ts';
import type { Clock } from '../../lib/time.ts';
import type { Channel, Quota } from '../../outbox/channel.ts';
import { type Attempt, type Delivery, extendLease, type Permit } from '../../outbox/delivery.ts';
import type { Target } from '../../outbox/target.ts';
import { EVERYONE, MAIL_SERVER } from '../../waitlist/queue/mail-pause.ts';
import { type Mail, SEND_MS_MAX } from './mail.ts';
import type { MailServer } from './mail-server.ts';
import { concludeAttempt, deferred, KEPT } from './outcome.ts';
import type { Pause } from './pauses.ts';
import type { Envelope, Smtp, SmtpAnswer } from './smtp.ts';

/** For a free connection. */
const WAIT_MS_MAX = 10_000;
const DEADLINE_MS = WAIT_MS_MAX + SEND_MS_MAX;
/**
 * Less than the dispatcher waits when it stops. Attempts without a response by then are recorded as unsent.
 */
const STOP_MS_MAX = 15_000;
/** How long to wait for a database that did not respond. */
const DATABASE_MS = 60_000;
const SLOW_MS = 5_000;
/** While another mail tests whether sending works again. */
const PROBE_MS = 1_000;
/** Where the mails of a channel come from. */
interface MailSource<Setup> {
  name: string;
  /** What is needed to send to each target, or undefined where nothing may be sent. */
  open(targets: readonly Target[]): Promise<(Setup | undefined)[]>;
  /** The name of the sender's state in the log. */
  senderOf(setup: Setup): string;
  /** The mail and how to send it, or what becomes of it without being sent. */
  compose(
    delivery: Delivery<Setup>,
    sealedBody: Uint8Array,
  ): Promise<{ mail: Mail; envelope: Envelope } | Attempt<never>>;
  /** The address does not exist. */
  bounced(setup: Setup, address: string): Promise<void>;
  sealResponse(delivery: Delivery<Setup>, response: string): Uint8Array;
}

interface Parts {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
}

/** A channel that sends mails over SMTP. */
export function smtpChannel<Setup extends object>(
  parts: Parts,
  server: MailServer,
  source: MailSource<Setup>,
): Channel<Setup> {
  const { db, log } = parts;
  const { smtp, connections, rate, pauses, pace } = server;
  const { smtpConnections, deadlineMs = DEADLINE_MS, stopMs = STOP_MS_MAX } = pace;
  const { leaseExtendedEveryMs = deadlineMs / 2 } = pace;
  const { senderOf } = source;
  const underWay = new Set<(outcome: Attempt<string>) => void>();

  const deliver = async (
    smtp: Smtp,
    delivery: Delivery<Setup>,
    { mail, envelope }: { mail: Mail; envelope: Envelope },
  ): Promise<Attempt<string> | undefined> => {
    const release = await connections(WAIT_MS_MAX);
    if (!release) return deferred('not sent yet: the mail server is slow', SLOW_MS);
    const { setup, permit } = delivery;
    const names = [MAIL_SERVER, EVERYONE, senderOf(setup)];
    const pause = pauses.find(...names);
    const endProbe = pause && pause.leftMs > 0 ? undefined : pauses.probe(...names);
    try {
      if (!endProbe) return deferred(`not sent yet: ${pause?.error}`, pause?.leftMs || PROBE_MS);
      const answer = await sendWithPermit(smtp, mail, envelope, permit);
      if (!answer) return undefined;
      if (!answer.ok && answer.bounced) await source.bounced(setup, mail.to);
      const sent = { sender: senderOf(setup), recipient: mail.to.toLowerCase(), delivery };
      return concludeAttempt(parts, { ...server, shown: smtp.server.shown }, sent, answer);
    } finally {
      endProbe?.();
      release();
    }
  };

  /** A database that is away is not the mail's fault. Any other failure uses up a retry, so that it ends. */
  const attempt = async (
    delivery: Delivery<Setup>,
    sealedBody: Uint8Array,
  ): Promise<Attempt<string> | undefined> => {
    try {
      const composed = await source.compose(delivery, sealedBody);
      if (!('mail' in composed)) return composed;
      return smtp ? await deliver(smtp, delivery, composed) : KEPT;
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error;
      const { queueId } = delivery.target;
      const fields = { queue: queueId, reason: error.message };
      logSparingly(log, 'warn', fields, 'an email is delayed: the database did not respond');
      return deferred('not sent yet: the database did not respond', DATABASE_MS);
    }
  };

  const withSealedResponse = (
    delivery: Delivery<Setup>,
    { response, ...rest }: Attempt<string>,
  ): Attempt => ({
    ...rest,
    response: response === null ? null : source.sealResponse(delivery, response),
  });

  /** A server can take minutes to respond. Until then, the mail stays claimed. */
  const keepClaimed = (delivery: Delivery<Setup>) =>
    // At worst, another process sends the mail again. What is recorded next waits for the last extension.
    repeat(leaseExtendedEveryMs, async () =>
      extendLease(db, delivery, (await sharedNow(parts)) + 2 * deadlineMs),
    );

  return {
    name: source.name,
    deadlineMs,
    // More than there are connections, to render the next mail while the server processes the last.
    atOnce: 4 * smtpConnections,
    prepare: async (targets) => {
      const setups = await source.open(targets);
      return async () => {
        const quotas = rate?.share(setups.length) ?? [];
        return setups.map((setup, index) => {
          if (!setup) return undefined;
          const pause = pauses.find(MAIL_SERVER, EVERYONE, senderOf(setup));
          const quota = pause ? quotaDuring(pause, quotas[index]) : quotas[index];
          return { setup, ...(quota ? { quota } : {}) };
        });
      };
    },
    // Even if the claim is repeated: rather too few in a second than too many.
    charge: async (_trx, _target, _quota, claimed) => rate?.charge(claimed),
    send: async (delivery, sealedBody) => {
      const startedAt = performance.now();
      const release = keepClaimed(delivery);
      try {
        const { promise, resolve, reject } = Promise.withResolvers<Attempt<string> | undefined>();
        underWay.add(resolve);
        attempt(delivery, sealedBody)
          .then(resolve, reject)
          .finally(() => underWay.delete(resolve));
        const outcome = await promise;
        const durationMs = Math.round(performance.now() - startedAt);
        return outcome && withSealedResponse(delivery, { ...outcome, durationMs });
      } finally {
        await release();
      }
    },
    settle: async () => undefined,
    stopping: () => {
      const stopped = deferred('not sent yet: the service stopped before the mail server answered', 0);
      setTimeout(() => {
        for (const end of underWay) end(stopped);
      }, stopMs).unref();
    },
    close: async () => smtp?.close(),
  };
}

/** Connecting can take a while: then the permit is renewed, and the mail is sent over the open connection. */
async function sendWithPermit(
  smtp: Smtp,
  mail: Mail,
  envelope: Envelope,
  permit: Permit,
): Promise<SmtpAnswer | undefined> {
  while (await permit.renew()) {
    const answer = await smtp.send(mail, envelope, permit.isGiven);
    if (answer) return answer;
  }
  return undefined;
}

/** Sends nothing during the pause. After it, one mail tests whether sending works again. */
function quotaDuring({ leftMs }: Pause, quota: Quota | undefined): Quota {
  const unlimited = { left: 1, againInMs: 1_000, usedUntil: 0, perSecond: 0 };
  const { left, ...rest } = quota ?? unlimited;
  return leftMs > 0 ? { ...rest, left: 0, againInMs: leftMs } : { ...rest, left: Math.min(left, 1) };
}
