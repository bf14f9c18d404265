import { parseEmail } from '../lib/email.ts';
import { formatId } from '../lib/ids.ts';
import { reportState } from '../lib/state-log.ts';
import { DAY_MS } from '../lib/time.ts';
import type { Channel } from '../outbox/channel.ts';
import { type Attempt, ERASED, responseRow } from '../outbox/delivery.ts';
import { whySuppressed } from '../waitlist/links/suppression.ts';
import { recordMailEvents } from '../waitlist/mail-events/record-mail-events.ts';
import type { Context } from '../waitlist/queue/context.ts';
import { SENDER_OF } from '../waitlist/queue/mail-pause.ts';
import type { Queue } from '../waitlist/queue/queue.ts';
import { readableQueues } from '../waitlist/queue/readable.ts';
import { MAIL_CHANNEL } from '../waitlist/sending/state.ts';
import { bounceAddressFor } from './bounce-address.ts';
import { OUTDATED, whyUseless } from './outdated.ts';
import { type MailParts, type OwnTemplate, readParts } from './parts.ts';
import { messageId, renderMail, type Sending } from './render.ts';
import { createRestraint } from './restraint.ts';
import type { MailServer } from './smtp/mail-server.ts';
import { KEPT } from './smtp/outcome.ts';
import { smtpChannel } from './smtp/smtp-channel.ts';
import { readMail } from './stored-mail.ts';
import { isEssential, type MailKind } from './templates/kinds.ts';
import type { MailTemplate } from './templates/settings.ts';
import type { TemplateFailure } from './templates/tasks.ts';
import { mailTemplates } from './templates/worker.ts';

const MOST_REMEMBERED = 1_000;
/** Longer than an email is retried, all of which have the same bytes. */
const LATE_MS = 4 * DAY_MS;
const ADDRESS_REFUSED: Attempt<never> = {
  ...KEPT,
  ok: false,
  final: true,
  error: 'not sent: the address contains characters that are no longer accepted',
};

/** Mails to people on waitlists. Without a mail server, or outside production, they stay in the mailbox. */
export function mailChannel(
  context: Context,
  server: MailServer,
  sending: Sending & { bounceAddress: string | undefined },
): Channel<Queue> {
  const { db } = context;
  const parts = rememberParts(context);
  const channel = smtpChannel<Queue>(context, server, {
    name: MAIL_CHANNEL,
    open: (targets) =>
      readableQueues(
        context,
        targets.map(({ queueId }) => queueId),
      ),
    senderOf: ({ waitlist }) => `${SENDER_OF}${waitlist.id}`,
    compose: async ({ setup: queue, eventId }, sealedBody) => {
      const body = queue.vault.open<string>('event.body', eventId, sealedBody);
      const stored = await readMail(context, queue, body);
      if (!stored) return ERASED;
      // Stored when the rules for addresses were less strict.
      if (!parseEmail(stored.to)) return ADDRESS_REFUSED;
      const reason = await whySuppressed(context, queue, stored.to, isEssential(stored.mail));
      if (reason)
        return { ...KEPT, ok: false, final: true, error: `not sent: the address is suppressed (${reason})` };
      const useless = await whyUseless(context, queue, stored);
      if (useless) return { ...KEPT, ok: false, final: true, error: `not sent: ${OUTDATED[useless]}` };
      if (!server.smtp || queue.environment !== 'production') return KEPT;
      const at = dateOf(stored.at, context.clock());
      const dated = { ...stored, at };
      const mail = await renderMail(queue, dated, await parts(queue, stored.version), sending, {
        worker: mailTemplates,
        failed: (reason, own) => tellOfTemplate(context, queue, nameOf(stored.mail, own), reason),
      });
      const envelope = {
        messageId: messageId(eventId, mail.from),
        seed: formatId('evt', eventId),
        kind: stored.mail,
        at,
        bounceAddress: sending.bounceAddress && bounceAddressFor(queue, eventId, sending.bounceAddress),
      };
      return { mail, envelope };
    },
    bounced: async (queue, email) => {
      await recordMailEvents(context, queue, [{ type: 'bounce', email }], { answersUs: true });
    },
    sealResponse: (delivery, response) =>
      delivery.setup.vault.seal('delivery.response', responseRow(delivery.target, delivery), response),
  });
  if (!server.smtp) return withTemplatesAtRest(channel);
  const restraint = createRestraint(db);
  return {
    ...withTemplatesAtRest(channel),
    restrain: restraint.restrain,
    returned: restraint.returned,
    send: async (delivery, sealedBody) => restraint.noted(delivery, await channel.send(delivery, sealedBody)),
    settle: async (trx, target, attempts) => {
      await restraint.settle(trx, target, attempts);
      return undefined;
    },
  };
}

/** Filters take an old date for spam, and links end. What was kept, or waited for long, is of the day on which it is sent. */
function dateOf(recordedAt: number, now: number): number {
  return now - recordedAt > LATE_MS ? now : recordedAt;
}

function withTemplatesAtRest(channel: Channel<Queue>): Channel<Queue> {
  return {
    ...channel,
    close: async () => {
      await Promise.all([channel.close(), mailTemplates.rest()]);
    },
  };
}

/** Of one version, because the next one may fail too. */
function nameOf(kind: MailKind, own: MailTemplate | OwnTemplate): string {
  return 'edited' in own ? `version ${own.edited} of the ${kind} template` : `draft of the ${kind} template`;
}

function tellOfTemplate(
  { log }: Context,
  { waitlist }: Queue,
  template: string,
  reason: TemplateFailure,
): void {
  reportState(log, `${template} of ${waitlist.id}`, 'failing', {
    reason: `it ${reason}: the default template is sent instead`,
  });
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
