import { type Language, textsIn } from '../languages/languages.ts';
import type { Texts } from '../languages/texts.ts';
import { formatId } from '../lib/ids.ts';
import {
  confirmLink,
  fillPattern,
  joinLink,
  ownDataLink,
  signLink,
  statusLink,
} from '../waitlist/links/links.ts';
import type { OwnData } from '../waitlist/queue/events.ts';
import type { Queue } from '../waitlist/queue/queue.ts';
import { pictureUrl } from '../waitlist/settings/pictures.ts';
import { hostedUrl } from '../wire/form.ts';
import { type MailParts, type OwnTemplate, waitlistLanguage } from './parts.ts';
import type { Mail } from './smtp/mail.ts';
import type { StoredMail } from './stored-mail.ts';
import { type Content, type ContentInput, renderContent } from './templates/content.ts';
import { isByAnyone, isEssential, type MailKind } from './templates/kinds.ts';
import { directionOf, layOut, readableOn } from './templates/layout.ts';
import type { Look } from './templates/markdown-html.ts';
import {
  DEFAULT_COLOUR,
  defaultTemplate,
  type MailSettings,
  type MailTemplate,
} from './templates/settings.ts';
import { TemplateFailed, type TemplateFailure } from './templates/tasks.ts';
import { plainEmail, plainLine, plainMetadata } from './templates/values.ts';
import { draftTemplates, type TemplateWorker } from './templates/worker.ts';

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
  const dataLink = (purpose: OwnData) =>
    entry && stored.mail === `data-${purpose}`
      ? ownDataLink(queue, publicUrl, purpose, { id: entry.id, at })
      : null;
  return {
    confirmLink:
      stored.mail === 'confirm' && entry
        ? confirmLink(confirmUrl, publicUrl, signLink(queue, 'confirm', { id: entry.id, at }))
        : null,
    joinLink: code === null ? null : joinLink(joinUrl, publicUrl, code),
    referralLink: entry?.referralCode
      ? shareLink(queue, stored, referralUrl, publicUrl, entry.referralCode)
      : null,
    downloadLink: dataLink('download'),
    deletionLink: dataLink('deletion'),
    statusLink:
      entry && SHOWS_STATUS.includes(stored.mail) ? statusLink(queue, publicUrl, { id: entry.id, at }) : null,
    leaveLink: isByAnyone(stored.mail) || leave === null ? null : `${publicUrl}/leave/${leave}`,
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
  return hosted ? hostedUrl(publicUrl, queue, { ref: code }) : null;
}

interface Rendering {
  /** Renders own templates. The defaults are ours, and rendered at once. */
  worker: TemplateWorker;
  /** Told why the default template was used in place of an own one, or of a draft. */
  failed(failure: TemplateFailure, own: MailTemplate | OwnTemplate): void;
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
  const input = {
    values: { ...valuesOf(stored, texts), waitlist, ...links },
    links: Object.values(links).filter((link) => link !== null),
    language,
    colours: { colour, onColour: readableOn(colour) },
  };
  const { subject: line, text, html, preview, look } = await fill(stored.mail, own, input, rendering);
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
  return isByAnyone(mail) || bare === true;
}

function languageOfMail({ entry }: StoredMail, { settings }: MailParts): Language {
  return entry?.language ?? waitlistLanguage(settings);
}

function ownTemplate(
  { mail: kind, template }: StoredMail,
  { templates }: MailParts,
  language: Language,
): MailTemplate | OwnTemplate | undefined {
  return template ?? templates[kind]?.[language];
}

type FillInput = Omit<ContentInput, 'template' | 'look'> & { colours: Omit<Look, 'dir'> };

/** If an own template fails, whatever the cause, the person gets the default template instead. */
async function fill(
  kind: MailKind,
  own: MailTemplate | OwnTemplate | undefined,
  { colours, ...input }: FillInput,
  { worker, failed }: Rendering,
): Promise<Content & { look: Look }> {
  if (own) {
    try {
      const { subject, body } = own;
      const look = { ...colours, dir: directionOf(body) };
      return { look, ...(await worker.run('render', { template: { subject, body }, look, ...input })) };
    } catch (error) {
      if (!(error instanceof TemplateFailed)) throw error;
      failed(error.failure, own);
    }
  }
  const look = { ...colours, dir: textsIn(input.language).dir };
  return { look, ...renderContent({ template: defaultTemplate(kind, input.language), look, ...input }) };
}

function reasonFor(kind: MailKind, { mail: { reasons } }: Texts): (waitlist: string) => string {
  switch (kind) {
    case 'confirm':
    case 'declined':
    case 'data-download':
    case 'data-deletion':
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

/** An email for its operators to look at. */
export interface ShownMail extends Mail {
  /** Why it has the default template in place of an own one, or of a draft. */
  templateFailure: TemplateFailure | null;
}

export async function renderShown(
  queue: Queue,
  stored: StoredMail,
  parts: MailParts,
  sending: Sending,
): Promise<ShownMail> {
  let templateFailure: TemplateFailure | null = null;
  const failed = (failure: TemplateFailure) => {
    templateFailure = failure;
  };
  const mail = await renderMail(queue, stored, parts, sending, { worker: draftTemplates, failed });
  return { ...mail, templateFailure };
}

export function messageId(eventId: Uint8Array, { address }: Mail['from']): string {
  return `<${formatId('evt', eventId)}@${address.slice(address.lastIndexOf('@') + 1)}>`;
}
