import { sharedNow } from '../db/shared-clock.ts';
import { formatId } from '../ids.ts';
import { type Attempt, ERASED, responseRow } from '../outbox/attempt.ts';
import type { Channel, Quota } from '../outbox/channel.ts';
import type { Delivery } from '../outbox/delivery.ts';
import { extendLease } from '../outbox/lease.ts';
import type { Permit } from '../outbox/permit.ts';
import { reportState } from '../state-log.ts';
import { Unreadable } from '../vault/crypto.ts';
import { hashOf, suppress, whySuppressed } from '../waitlist/links/suppression.ts';
import { parseEmail } from '../waitlist/people/identity.ts';
import type { Context } from '../waitlist/queue/context.ts';
import { type Queue, queuesById } from '../waitlist/queue/directory.ts';
import { isEssential } from './kinds.ts';
import { limitTo, meter } from './pace.ts';
import { type MailParts, readParts } from './parts.ts';
import { createPauses, type Pause } from './pauses.ts';
import { type Mail, messageId, renderMail, type Sending } from './render.ts';
import { type Envelope, MAIL_SERVER, type Smtp, type SmtpAnswer } from './smtp.ts';
import { SEND_MS_MAX } from './smtp-session.ts';
import { readMail, type StoredMail } from './stored-mail.ts';
import { MAIL_CHANNEL } from './target.ts';

/** For a free connection. */
const WAIT_MS_MAX = 10_000;
const DEADLINE_MS = WAIT_MS_MAX + SEND_MS_MAX;
/**
 * Less than the dispatcher waits when it stops. Attempts without a response by then are recorded as unsent.
 */
const STOP_MS_MAX = 15_000;
/** How long to wait after an internal failure before trying again. */
const FAULT_MS = 60_000;
const SLOW_MS = 5_000;
const MOST_REMEMBERED = 1_000;
const KEPT: Attempt<never> = {
  ok: true,
  status: null,
  error: null,
  response: null,
  durationMs: 0,
  retryAfterMs: 0,
};
const ADDRESS_REFUSED: Attempt<never> = {
  ...KEPT,
  ok: false,
  final: true,
  error: 'not sent: the address contains characters that are no longer accepted',
};
const deferred = (error: string, deferMs: number): Attempt<never> => ({ ...KEPT, ok: false, error, deferMs });

export interface MailPace {
  smtpConnections: number;
  /** Mails per second, or 0 for no limit. */
  smtpRate: number;
  deadlineMs?: number | undefined;
  /** How often to extend the lease of a mail that takes long. */
  leaseExtendedEveryMs?: number | undefined;
  stopMs?: number | undefined;
  /** Delays between attempts to resume when nothing can be sent. */
  pausesMs?: readonly number[] | undefined;
}

/** Without a mail server, or outside production, mails stay in the mailbox. */
export function mailChannel(
  context: Context,
  smtp: Smtp | undefined,
  sending: Sending,
  pace: MailPace,
): Channel<Queue> {
  const { smtpConnections, smtpRate, deadlineMs = DEADLINE_MS, stopMs = STOP_MS_MAX, pausesMs } = pace;
  const { leaseExtendedEveryMs = deadlineMs / 2 } = pace;
  const { db, log } = context;
  const parts = rememberParts(context);
  const connections = limitTo(smtpConnections);
  const rate = smtpRate === 0 ? undefined : meter(smtpRate);
  const pauses = createPauses(pausesMs);
  const underWay = new Set<(outcome: Attempt<string>) => void>();

  const deliver = async (
    queue: Queue,
    eventId: Uint8Array,
    stored: StoredMail,
    permit: Permit,
  ): Promise<Attempt<string> | undefined> => {
    // Stored when the rules for addresses were less strict.
    if (!parseEmail(stored.to)) return ADDRESS_REFUSED;
    const reason = await whySuppressed(context, queue, stored.to, isEssential(stored.mail));
    if (reason)
      return { ...KEPT, ok: false, final: true, error: `not sent: the address is suppressed (${reason})` };
    if (!smtp || queue.environment !== 'production') return KEPT;
    const mail = renderMail(queue, stored, await parts(queue, stored.version), sending);
    const release = await connections(WAIT_MS_MAX);
    if (!release) return deferred('not sent yet: the mail server is slow', SLOW_MS);
    try {
      const pause = pauses.find(MAIL_SERVER, senderOf(queue));
      if (pause && pause.leftMs > 0) return deferred(`not sent yet: ${pause.error}`, pause.leftMs);
      const envelope = {
        messageId: messageId(eventId, mail.from),
        seed: formatId('evt', eventId),
        kind: stored.mail,
        at: stored.at,
      };
      const answer = await sendWithPermit(smtp, mail, envelope, permit);
      return answer && (await conclude(smtp, queue, stored, answer));
    } finally {
      release();
    }
  };

  const conclude = async (
    { server }: Smtp,
    queue: Queue,
    stored: StoredMail,
    answer: SmtpAnswer,
  ): Promise<Attempt<string>> => {
    const fields = { server: server.shown };
    if (!answer.ok && (answer.fault === 'refused' || answer.fault === 'unreachable')) {
      const { status, error, response } = answer;
      const { leftMs } = pauses.begin(MAIL_SERVER, error);
      const state = answer.fault === 'refused' ? 'paused' : 'unreachable';
      reportState(log, MAIL_SERVER, state, { ...fields, reason: error, answer: answer.answer });
      return { ...deferred(error, leftMs), status, response };
    }
    // Any response means that the server is reachable.
    pauses.end(MAIL_SERVER);
    reportState(log, MAIL_SERVER, 'ok', fields);
    if (answer.ok) {
      if (pauses.end(senderOf(queue))) reportState(log, senderOf(queue), 'ok', fields);
      return { ...KEPT, status: 250, response: answer.response };
    }
    const { status, error, response, bounced, fault } = answer;
    if (fault === 'sender') {
      const { leftMs } = pauses.begin(senderOf(queue), error);
      reportState(log, senderOf(queue), 'paused', { ...fields, reason: error, answer: answer.answer });
      return { ...deferred(error, leftMs), status, response };
    }
    if (bounced) await suppress(db.query, queue, hashOf(queue, stored.to), 'bounced', context.clock());
    const final = fault === 'recipient' || fault === 'mail';
    return { ...KEPT, ok: false, status, error, response, final };
  };

  /** Failures here are not the mail's fault, so it is retried for as long as mails are kept. */
  const attempt = async (
    { setup: queue, eventId, permit }: Delivery<Queue>,
    sealedBody: Uint8Array,
  ): Promise<Attempt<string> | undefined> => {
    const body = queue.vault.open<string>('event.body', eventId, sealedBody);
    try {
      const stored = await readMail(context, queue, body);
      return stored ? await deliver(queue, eventId, stored, permit) : ERASED;
    } catch (error) {
      if (error instanceof Unreadable) throw error;
      log.error({ queue: queue.id, reason: (error as Error).message }, 'an email could not be composed');
      return deferred('not sent yet because of an internal error: see the log', FAULT_MS);
    }
  };

  /** A server can take minutes to respond. Until then, the mail stays claimed. */
  const keepClaimed = (delivery: Delivery<Queue>) => {
    let extending: Promise<void> | undefined;
    const extend = async () => extendLease(db, delivery, (await sharedNow(context)) + 2 * deadlineMs);
    const timer = setInterval(() => {
      extending ??= extend()
        .catch(() => {}) // The next extension may succeed. At worst, another process sends the mail again.
        .finally(() => {
          extending = undefined;
        });
    }, leaseExtendedEveryMs);
    return async () => {
      clearInterval(timer);
      await extending; // The extension must not overwrite what is recorded next.
    };
  };

  return {
    name: MAIL_CHANNEL,
    deadlineMs,
    // More than there are connections, to render the next mail while the server processes the last.
    atOnce: 4 * smtpConnections,
    prepare: async (targets) => {
      const queues = await queuesById(
        context.directory,
        targets.map(({ queueId }) => queueId),
      );
      return async () => {
        const quotas = rate?.share(queues.length) ?? [];
        return queues.map((queue, index) => {
          if (!queue) return undefined;
          const pause = pauses.find(MAIL_SERVER, senderOf(queue));
          const quota = pause ? quotaDuring(pause, quotas[index]) : quotas[index];
          return { setup: queue, ...(quota ? { quota } : {}) };
        });
      };
    },
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
        return outcome && sealResponse(delivery, { ...outcome, durationMs });
      } finally {
        await release();
      }
    },
    settle: async () => {},
    stopping: () => {
      const stopped = deferred('not sent yet: the service stopped before the mail server answered', 0);
      setTimeout(() => {
        for (const end of underWay) end(stopped);
      }, stopMs).unref();
    },
    close: async () => smtp?.close(),
  };
}

function sealResponse(delivery: Delivery<Queue>, attempt: Attempt<string>): Attempt {
  const { response, ...rest } = attempt;
  if (response === null) return { ...rest, response };
  const { vault } = delivery.setup;
  return {
    ...rest,
    response: vault.seal('delivery.response', responseRow(delivery.target, delivery), response),
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

function senderOf({ waitlist }: Queue): string {
  return `sender of ${waitlist.id}`;
}

/** The parts of a version never change, so they are read only once. */
function rememberParts(context: Context): (queue: Queue, version: number) => Promise<MailParts> {
  const known = new Map<string, Promise<MailParts>>();
  return ({ waitlist }, version) => {
    const name = `${waitlist.internalId} ${version}`;
    const found = known.get(name);
    if (found) return found;
    if (known.size >= MOST_REMEMBERED) known.clear();
    const reading = readParts(context, waitlist.internalId, version);
    known.set(name, reading);
    reading.catch(() => known.delete(name));
    return reading;
  };
}
