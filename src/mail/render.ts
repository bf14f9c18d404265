import { type Language, textsIn } from '../languages/languages.ts';
import type { Texts } from '../languages/texts.ts';
import { formatId } from '../lib/ids.ts';
import { confirmLink, fillPattern, joinLink, signLink, statusLink } from '../waitlist/links/links.ts';
import type { Queue } from '../waitlist/queue/queue.ts';
import { pictureUrl } from '../waitlist/settings/pictures.ts';
import { hostedUrl } from '../wire/form.ts';
import { type MailParts, waitlistLanguage } from './parts.ts';
import type { Mail } from './smtp/mail.ts';
import type { StoredMail } from './stored-mail.ts';
import { type Content, type ContentInput, renderContent } from './templates/content.ts';
import { defaultTemplate, type MailTemplate } from './templates/default-templates.ts';
import { directionOf } from './templates/direction.ts';
import { isEssential, type MailKind } from './templates/kinds.ts';
import { layOut, readableOn } from './templates/layout.ts';
import { DEFAULT_COLOUR, type MailSettings } from './templates/settings.ts';
import { TemplateFailed, type TemplateFailure } from './templates/tasks.ts';
import { plainEmail, plainLine, plainMetadata } from './templates/values.ts';
import type { TemplateWorker } from './templates/worker.ts';

export interface Sending {
  publicUrl: string;
  /** For waitlists without their own sender address. */
  defaultFrom: string;
}

/** Mails to people in line. Others have their own link. */
const SHOWS_STATUS: readonly MailKind[] = ['welcome', 'moved-up'];

function linksOf(queue: Queue, stored: StoredMail, settings: MailSettings, publicUrl: string) {
  const { joinUrl, confirmUrl, referralUrl } = settings;
  const { entry, invite, at } = stored;
  const code = invite?.code ?? null;
  const subject = entry?.id ?? invite?.id;
  const leave = subject === undefined ? null : signLink(queue, 'leave', { id: subject, at });
  return {
    confirmLink:
      stored.mail === 'confirm' && entry
        ? confirmLink(confirmUrl, publicUrl, signLink(queue, 'confirm', { id: entry.id, at }))
        : null,
    joinLink: code === null ? null : joinLink(joinUrl, publicUrl, code),
    referralLink: entry?.referralCode
      ? shareLink(queue, stored, referralUrl, publicUrl, entry.referralCode)
      : null,
    statusLink:
      entry && SHOWS_STATUS.includes(stored.mail) ? statusLink(queue, publicUrl, { id: entry.id, at }) : null,
    leaveLink: stored.mail === 'confirm' || leave === null ? null : `${publicUrl}/leave/${leave}`,
    unsubscribeLink: isEssential(stored.mail) || leave === null ? null : `${publicUrl}/unsubscribe/${leave}`,
  };
}

/** The waitlist's own page, or ours if the form was on. */
function shareLink(
  queue: Queue,
  { hosted }: StoredMail,
  referralUrl: string | null,
  publicUrl: string,
  code: string,
): string | null {
  if (referralUrl !== null) return fillPattern(referralUrl, 'referralCode', code);
  return hosted ? hostedUrl(publicUrl, queue, code) : null;
}

interface Rendering {
  /** Renders own templates. The defaults are ours, and rendered at once. */
  worker: TemplateWorker;
  /** Told why the default template was used in place of an own one. */
  failed?(failure: TemplateFailure): void;
}

/**
 * Deterministic, as long as an own template does not take too long: the same stored mail and parts always give
 * the same mail.
 */
export async function renderMail(
  queue: Queue,
  stored: StoredMail,
  parts: MailParts,
  sending: Sending,
  rendering: Rendering,
): Promise<Mail> {
  const { settings } = parts;
  const { leaveLink, unsubscribeLink, ...links } = linksOf(queue, stored, settings, sending.publicUrl);
  const waitlist = plainLine(stored.waitlist);
  const language = languageOfMail(stored, parts);
  const texts = textsIn(language);
  const colour = settings.colour ?? DEFAULT_COLOUR;
  const own = ownTemplate(stored, parts, language);
  const dir = own ? directionOf(own.body) : texts.dir;
  const look = { colour, onColour: readableOn(colour), dir };
  const input = {
    values: { ...valuesOf(stored, texts), waitlist, ...links },
    links: Object.values(links).filter((link) => link !== null),
    language,
    look,
  };
  const { subject: line, text, html, preview } = await fill(stored.mail, own, input, rendering);
  const subject = stored.test ? `[Test] ${line}` : line;
  // Operators may have left it out of their own template.
  const statusUrl = links.statusLink !== null && text.includes(links.statusLink) ? null : links.statusLink;
  const reason = reasonFor(stored.mail, texts)(waitlist);
  return {
    from: { name: plainLine(settings.fromName ?? waitlist), address: settings.from ?? sending.defaultFrom },
    replyTo: settings.replyTo,
    to: stored.to,
    subject,
    text: textPage(text, [
      settings.footer,
      reason,
      statusUrl && `${texts.mail.seeStatus}: ${statusUrl}`,
      leaveLink && `${texts.mail.leave}: ${leaveLink}`,
    ]),
    html: layOut({
      ...look,
      texts,
      title: subject,
      preview,
      name: waitlist,
      logoUrl: pictureUrl(settings.logoUrl, sending.publicUrl),
      content: html,
      footer: settings.footer,
      reason,
      statusUrl,
      leaveLink,
    }),
    unsubscribeLink,
  };
}

function valuesOf(stored: StoredMail, { formats }: Texts) {
  const { entry, invite } = stored;
  return {
    email: plainEmail(stored.person ?? stored.to),
    position: entry?.position ?? null,
    referrals: entry?.referrals ?? 0,
    referralCode: entry?.referralCode ?? null,
    boost: stored.boost ?? null,
    inviteCode: invite?.code ?? null,
    expiresAt: invite?.expiresAt ? formats.date(invite.expiresAt) : null,
    metadata: plainMetadata(isBare(stored) ? {} : (entry?.metadata ?? {})),
  };
}

/** Before an email is confirmed, nothing that a stranger typed may reach its owner. */
function isBare({ mail, bare }: StoredMail): boolean {
  return mail === 'confirm' || bare === true;
}

function languageOfMail({ entry }: StoredMail, { settings }: MailParts): Language {
  return entry?.language ?? waitlistLanguage(settings);
}

function ownTemplate(
  { mail: kind, template }: StoredMail,
  { templates }: MailParts,
  language: Language,
): MailTemplate | undefined {
  return template ?? templates[kind]?.[language];
}

/** If an own template fails, whatever the cause, the person gets the default template instead. */
async function fill(
  kind: MailKind,
  own: MailTemplate | undefined,
  input: Omit<ContentInput, 'template'>,
  { worker, failed }: Rendering,
): Promise<Content> {
  if (own) {
    try {
      const { subject, body } = own;
      return await worker.run('render', { template: { subject, body }, ...input });
    } catch (error) {
      if (!(error instanceof TemplateFailed)) throw error;
      failed?.(error.failure);
    }
  }
  return renderContent({ template: defaultTemplate(kind, input.language), ...input });
}

function reasonFor(kind: MailKind, { mail: { reasons } }: Texts): (waitlist: string) => string {
  switch (kind) {
    case 'confirm':
      return reasons.added;
    case 'welcome':
    case 'moved-up':
      return reasons.onList;
    case 'invite':
    case 'invite-reminder':
      return reasons.invited;
    case 'accepted':
      return reasons.accepted;
  }
}

function textPage(text: string, below: (string | null)[]): string {
  return `${text}\n\n-- \n${below.filter(Boolean).join('\n\n')}\n`;
}

export function messageId(eventId: Uint8Array, { address }: Mail['from']): string {
  return `<${formatId('evt', eventId)}@${address.slice(address.lastIndexOf('@') + 1)}>`;
}
