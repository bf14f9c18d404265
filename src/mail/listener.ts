import { formatId, newNumberedId, oldestId } from '../lib/ids.ts';
import type { Log } from '../lib/log.ts';
import { utcDay } from '../lib/time.ts';
import type { Message } from '../outbox/message.ts';
import { type Entry, openEntries } from '../waitlist/entries/entry.ts';
import { hashOf } from '../waitlist/links/suppression.ts';
import { type DomainEvent, entryOf, type InviteFacts } from '../waitlist/queue/events.ts';
import type { Listener } from '../waitlist/queue/listener.ts';
import type { Queue } from '../waitlist/queue/queue.ts';
import type { QueueChange } from '../waitlist/queue/queue-change.ts';
import { keepRecipients, mailedEntry, mailMessage } from './stored-mail.ts';
import { isOn, type MailKind } from './templates/kinds.ts';
import { mailboxesOfUnconfirmed, movedUpLimit } from './unconfirmed.ts';

/** Composes mails to people about what happened to them. */
export function mailListener(log: Log): Listener {
  return {
    wants: (event, settings) => {
      if (isReaddressed(event)) return true;
      const kind = mailFor(event, settings.confirmEmails);
      if (kind === undefined || event.imported) return false;
      if (kind === 'moved-up' && settings.boost === 0) return false;
      return isRequested(event) || isOn(kind, settings.mailKinds);
    },
    compose: async (change, all, entries) => {
      for (const { entry, formerEmails } of all.filter(isReaddressed))
        await keepRecipients(change, entry, formerEmails);
      const events = all.filter((event) => !isReaddressed(event));
      const { queue, now, settings } = change;
      const seqs = events.flatMap((event) => (isNewcomer(event) ? [] : (entryOf(event) ?? [])));
      const rows = [...(seqs.length === 0 ? [] : (await entries.read(seqs)).values())];
      const known = new Map(openEntries({ log }, queue, rows).map((entry) => [entry.seq, entry]));
      const unconfirmed = await mailboxesOfUnconfirmed(change.trx, queue, known.values());
      const mayMoveUp = movedUpLimit(change);
      const messages: Message[] = [];
      for (const [index, event] of events.entries()) {
        const kind = mailFor(event, settings.confirmEmails) as MailKind;
        const id = newNumberedId(now, index);
        const seq = entryOf(event) ?? 0;
        const mailbox = unconfirmed.get(seq);
        const message = isNewcomer(event)
          ? welcome(change, kind, event, id)
          : toKnown(change, kind, event, known.get(seq), { freshId: id, bare: mailbox !== undefined });
        if (!message) continue;
        const isLimited = kind === 'moved-up' && mailbox !== undefined;
        if (!isLimited || (await mayMoveUp(message, mailbox))) messages.push(message);
      }
      return messages;
    },
  };
}

/** Sends nothing by itself. */
function isReaddressed(
  event: DomainEvent,
): event is Extract<DomainEvent, { kind: 'entry.updated' }> & { formerEmails: object } {
  return event.kind === 'entry.updated' && event.formerEmails !== undefined;
}

function mailFor(event: DomainEvent, confirmEmails: boolean): MailKind | undefined {
  switch (event.kind) {
    case 'signup.created':
      if (!event.joined.hasEmail || event.joined.hasJoined) return undefined;
      if (event.joined.form?.mayMail === false) return undefined;
      return confirmEmails || event.joined.form?.confirm ? 'confirm' : 'welcome';
    case 'signup.confirmed':
    case 'status.requested':
      return 'welcome';
    case 'confirmation.requested':
    case 'confirmation.resent':
      return 'confirm';
    case 'data.requested':
      return `data-${event.purpose}`;
    case 'referral.credited':
      return 'moved-up';
    case 'invite.sent':
    case 'invite.resent':
      return 'invite';
    case 'invite.reminder_due':
      return 'invite-reminder';
    case 'invite.accepted':
      return 'accepted';
    case 'entry.declined':
      return event.email ? 'declined' : undefined;
    default:
      return undefined;
  }
}

/** Without these, people who used the form could not go on, and those who asked for an email would wait for it. */
function isRequested(event: DomainEvent): boolean {
  if (event.kind === 'signup.created') return event.joined.form?.confirm === true;
  return event.kind === 'status.requested' || event.kind === 'confirmation.requested';
}

type SignupEvent = Extract<DomainEvent, { kind: 'signup.created' }>;
/** All that a mail says is known without a lookup. */
type NewcomerEvent = SignupEvent & { joined: { position: number | null } };

function isNewcomer(event: DomainEvent): event is NewcomerEvent {
  return event.kind === 'signup.created' && event.joined.position !== undefined;
}

function welcome(
  { queue, now, settings }: QueueChange,
  kind: MailKind,
  { entry: seq, joined }: NewcomerEvent,
  id: Buffer,
): Message {
  const mail = {
    mail: kind,
    at: now,
    version: settings.mailVersion,
    waitlist: queue.waitlist.name,
    boost: settings.boost,
    seq,
    id: formatId('ent', joined.id),
    position: joined.position,
    ...(joined.form && { bare: true as const }),
    ...(settings.formEnabled && { hosted: true as const }),
  };
  return mailMessage(queue, id, mail, [joined.id]);
}

/** Returns undefined if there is no recipient. */
function toKnown(
  { queue, now, settings }: QueueChange,
  kind: MailKind,
  event: DomainEvent,
  entry: Entry | undefined,
  { freshId, bare }: { freshId: Buffer; bare: boolean },
): Message | undefined {
  const invite: (InviteFacts & { code?: string }) | null = 'invite' in event ? event.invite : null;
  const to = invite?.email ?? entry?.email ?? null;
  if (to === null || !isDue(kind, entry)) return undefined;
  const onlyOnce = entry !== undefined && isDaily(event);
  const id = onlyOnce ? dailyId(queue, kind, formatId('ent', entry.id), now) : freshId;
  const mail = {
    mail: kind,
    at: now,
    version: settings.mailVersion,
    waitlist: queue.waitlist.name,
    boost: settings.boost,
    to,
    entry: entry ? mailedEntry(entry) : null,
    invite: invite && {
      id: formatId('inv', invite.id),
      code: invite.code ?? null,
      expiresAt: invite.expiresAt,
    },
    ...(bare && { bare: true as const }),
    ...(settings.formEnabled && { hosted: true as const }),
  };
  const subjects = [...(entry ? [entry.id] : []), ...(invite ? [invite.id] : []), hashOf(queue, to)];
  return { ...mailMessage(queue, id, mail, subjects), onlyOnce };
}

/** Only those who wait move up, only pending entries have something to confirm, and nobody who was removed or declined is on the list. */
function isDue(kind: MailKind, entry: Entry | undefined): boolean {
  if (kind === 'moved-up') return entry?.status === 'waiting';
  if (kind === 'confirm') return entry?.status === 'pending';
  if (kind === 'welcome') return entry?.status !== 'removed' && entry?.status !== 'declined';
  if (kind === 'declined') return entry?.status === 'declined';
  return true;
}

/** At most one such mail per person and day, whoever requests it. */
function isDaily({ kind }: DomainEvent): boolean {
  return kind === 'referral.credited' || kind === 'confirmation.requested' || kind === 'status.requested';
}

/** The same for the same person all day (UTC), so that the second mail of a day is a duplicate. */
function dailyId({ vault }: Queue, kind: MailKind, entryId: string, now: number): Buffer {
  const day = utcDay(now);
  const id = oldestId(day);
  vault.hash('link', `${kind} ${entryId} ${day}`).copy(id, 6, 0, 10);
  return id;
}
