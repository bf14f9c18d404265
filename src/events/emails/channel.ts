import type { Context } from '../../waitlist/context.ts';
import type { Queue } from '../../waitlist/directory.ts';
import { formatId } from '../../waitlist/ids.ts';
import { parseEmail } from '../../waitlist/signup/identity.ts';
import type { Attempt, Channel, Quota } from '../outbox/channel.ts';
import type { Permit } from '../outbox/permit.ts';
import { readFacts } from './facts.ts';
import { type MailParts, readParts } from './parts.ts';
import { MAIL_CHANNEL, type MailFacts } from './record.ts';
import { type Mail, messageId, renderMail, type Sending } from './render.ts';
import { type Envelope, SEND_MS_MAX, type Smtp, type SmtpAnswer } from './smtp.ts';
import { hashOf, suppress, whySuppressed } from './suppression.ts';

/** For a connection of the pool to be free. */
const WAIT_MS_MAX = 10_000;
const MOST_REMEMBERED = 1_000;
const KEPT: Attempt = {
  ok: true,
  status: null,
  error: null,
  response: null,
  durationMs: 0,
  retryAfterMs: 0,
};

const ADDRESS_REFUSED: Attempt = {
  ...KEPT,
  ok: false,
  final: true,
  error: 'not sent: the address contains characters that are no longer accepted',
};
const GONE: Attempt = { ...KEPT, ok: false, final: true, error: 'not sent: what it told was erased' };

export interface MailPace {
  smtpConnections: number;
  /** Mails a second; 0: no limit. */
  smtpRate: number;
  deadlineMs?: number | undefined;
}

/** Mails as what the dispatcher sends. Without a mail server, and outside of production, they stay in the mailbox. */
export function mailChannel(
  context: Context,
  smtp: Smtp | undefined,
  sending: Sending,
  { smtpConnections, smtpRate, deadlineMs = WAIT_MS_MAX + SEND_MS_MAX }: MailPace,
): Channel<undefined> {
  const parts = rememberParts(context);
  const places = limitTo(smtpConnections);
  const rate = smtpRate === 0 ? undefined : meter(smtpRate);

  const deliver = async (
    queue: Queue,
    eventId: Uint8Array,
    facts: MailFacts,
    permit: Permit,
  ): Promise<Attempt | undefined> => {
    if (!parseEmail(facts.to)) return ADDRESS_REFUSED; // Stored before the rules for addresses were as strict as now.
    const reason = await whySuppressed(context, queue, facts.to, facts.mail);
    if (reason)
      return { ...KEPT, ok: false, final: true, error: `not sent: the address is suppressed (${reason})` };
    if (!smtp || queue.environment !== 'production') return KEPT;
    const mail = renderMail(queue, facts, await parts(queue, facts.version), sending);
    const release = await places(WAIT_MS_MAX);
    if (!release) return { ...KEPT, ok: false, error: 'not sent: the mail server is too slow' };
    const envelope = {
      messageId: messageId(eventId, mail.from),
      seed: formatId('evt', eventId),
      kind: facts.mail,
      at: facts.at,
    };
    const answer = await sendWithPermit(smtp, mail, envelope, permit).finally(release);
    if (!answer) return undefined;
    if (answer.ok) return { ...KEPT, status: 250, response: answer.response };
    const { status, error, response, final, bounced } = answer;
    if (bounced) await suppress(context.db.query, queue, hashOf(queue, facts.to), 'bounced', context.clock());
    return { ...KEPT, ok: false, status, error, response, final };
  };

  return {
    name: MAIL_CHANNEL,
    deadlineMs,
    // More than there are connections: the next mail is made while the server thinks about the last.
    atOnce: 4 * smtpConnections,
    open: async (_trx, targets) => {
      const quotas = rate?.share(targets.length) ?? [];
      return targets.map((_, index) => ({
        setup: undefined,
        ...(quotas[index] ? { quota: quotas[index] } : {}),
      }));
    },
    charge: async (_trx, _lane, _quota, claimed) => rate?.charge(claimed),
    send: async (_setup, queue, { eventId }, body, permit) => {
      const startedAt = performance.now();
      const facts = await readFacts(context, queue, body);
      const attempt = facts ? await deliver(queue, eventId, facts, permit) : GONE;
      return attempt && { ...attempt, durationMs: Math.round(performance.now() - startedAt) };
    },
    settle: async () => {},
    close: async () => smtp?.close(),
  };
}

/** A connection may take its time: then the permit is renewed, and the mail goes over the connection that is there. */
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

/** Parts of a version never change: they are read once. */
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

/** So many at a time; who waits too long gets nothing. */
function limitTo(most: number): (waitMs: number) => Promise<(() => void) | undefined> {
  let free = most;
  const waiting: ((release: () => void) => void)[] = [];
  const release = () => {
    const next = waiting.shift();
    if (next) next(release);
    else free += 1;
  };
  return (waitMs) => {
    if (free > 0) {
      free -= 1;
      return Promise.resolve(release);
    }
    return new Promise((resolve) => {
      const take = (given: () => void) => {
        clearTimeout(timer);
        resolve(given);
      };
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(take), 1);
        resolve(undefined);
      }, waitMs);
      waiting.push(take);
    });
  };
}

/** A second's worth may go out at once, shared among the queues that ask. */
function meter(perSecond: number) {
  let usedUntil = 0;
  const ahead = () => Math.max(0, usedUntil - performance.now());
  return {
    share: (queues: number): Quota[] => {
      let left = Math.max(0, Math.floor(((1000 - ahead()) * perSecond) / 1000));
      return Array.from({ length: queues }, (_, index) => {
        const own = Math.ceil(left / (queues - index));
        left -= own;
        return { left: own, againInMs: Math.ceil(1000 / perSecond), usedUntil, perSecond };
      });
    },
    charge: (count: number) => {
      usedUntil = performance.now() + ahead() + (count * 1000) / perSecond;
    },
  };
}
