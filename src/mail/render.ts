import type { Template } from 'liquidjs';
import { formatId } from '../ids.ts';
import { type Language, textsIn } from '../languages/languages.ts';
import type { Texts } from '../languages/texts.ts';
import { confirmLink, fillPattern, joinLink, signLink, statusLink } from '../waitlist/links/links.ts';
import type { Queue } from '../waitlist/queue/directory.ts';
import { defaultTemplate, type MailTemplate } from './default-templates.ts';
import { isEssential, type MailKind } from './kinds.ts';
import { layOut, readableOn } from './layout.ts';
import { parseTemplate, renderTemplate } from './liquid.ts';
import { toHtml } from './markdown-html.ts';
import { parseMarkdown, toText } from './markdown-text.ts';
import { Marks } from './marks.ts';
import { type MailParts, waitlistLanguage } from './parts.ts';
import { DEFAULT_COLOUR, type MailSettings } from './settings.ts';
import type { StoredMail } from './stored-mail.ts';
import { plainEmail, plainLine, plainMetadata } from './values.ts';

const SUBJECT_CHARACTERS_MAX = 200;
const PREVIEW_CHARACTERS_MAX = 120;

export interface Mail {
  from: { name: string; address: string };
  replyTo: string | null;
  to: string;
  subject: string;
  text: string;
  html: string;
  /** null for mails that cannot be unsubscribed from. */
  unsubscribeLink: string | null;
}

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
    referralLink:
      referralUrl === null || !entry?.referralCode
        ? null
        : fillPattern(referralUrl, 'referralCode', entry.referralCode),
    statusUrl:
      entry && SHOWS_STATUS.includes(stored.mail) ? statusLink(queue, publicUrl, { id: entry.id, at }) : null,
    leaveLink: stored.mail === 'confirm' || leave === null ? null : `${publicUrl}/leave/${leave}`,
    unsubscribeLink: isEssential(stored.mail) || leave === null ? null : `${publicUrl}/unsubscribe/${leave}`,
  };
}

/** Deterministic: the same stored mail and parts always give the same mail. */
export function renderMail(queue: Queue, stored: StoredMail, parts: MailParts, sending: Sending): Mail {
  const { settings, templates } = parts;
  const { entry, invite } = stored;
  const { statusUrl, leaveLink, unsubscribeLink, ...links } = linksOf(
    queue,
    stored,
    settings,
    sending.publicUrl,
  );
  const waitlist = plainLine(stored.waitlist);
  const language = languageOfMail(stored, parts);
  const texts = textsIn(language);
  const values = {
    waitlist,
    email: plainEmail(stored.person ?? stored.to),
    position: entry?.position ?? null,
    referrals: entry?.referrals ?? 0,
    referralCode: entry?.referralCode ?? null,
    inviteCode: invite?.code ?? null,
    expiresAt: invite?.expiresAt ? texts.formats.date(invite.expiresAt) : null,
    metadata: plainMetadata(isBare(stored) ? {} : (entry?.metadata ?? {})),
    ...links,
  };
  const marks = new Marks(new Set(Object.values(links).filter((link) => link !== null)));
  const colour = settings.colour ?? DEFAULT_COLOUR;
  const { subject: line, body } = fill(
    stored.mail,
    language,
    stored.template ?? templates[stored.mail],
    values,
    marks,
  );
  const subject = stored.test ? `[Test] ${line}` : line;
  const tokens = parseMarkdown(body);
  const text = toText(tokens, marks);
  const look = { colour, onColour: readableOn(colour) };
  const reason = reasonFor(stored.mail, texts)(waitlist);
  const html = layOut({
    ...look,
    texts,
    title: subject,
    preview: plainLine(
      tokens[0]?.type === 'heading' ? toText(tokens.slice(1), marks) : text,
      PREVIEW_CHARACTERS_MAX,
    ),
    name: waitlist,
    logoUrl: settings.logoUrl,
    content: toHtml(tokens, marks, look),
    footer: settings.footer,
    reason,
    statusUrl,
    leaveLink,
  });
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
    html,
    unsubscribeLink,
  };
}

/** Before an email is confirmed, nothing that a stranger typed may reach its owner. */
function isBare({ mail, bare }: StoredMail): boolean {
  return mail === 'confirm' || bare === true;
}

/** Operators write their own templates in the waitlist's language. The defaults follow the person's. */
function languageOfMail({ mail, entry, template }: StoredMail, { settings, templates }: MailParts): Language {
  const isOwn = (template ?? templates[mail]) !== undefined;
  return (isOwn ? null : entry?.language) ?? waitlistLanguage(settings);
}

/** If an own template fails with a person's values, that person gets the default template instead. */
function fill(
  kind: MailKind,
  language: Language,
  own: MailTemplate | undefined,
  values: object,
  marks: Marks,
): { subject: string; body: string } {
  const asText = {
    mark: (value: unknown) => (value == null || typeof value === 'object' ? '' : String(value)),
  };
  const { formats } = textsIn(language);
  try {
    const { subject, body } = parsed(own ?? defaultTemplate(kind, language));
    return {
      subject: plainLine(renderTemplate(subject, values, asText, formats), SUBJECT_CHARACTERS_MAX),
      body: renderTemplate(body, values, marks, formats),
    };
  } catch (error) {
    if (!own) throw error;
    return fill(kind, language, undefined, values, marks);
  }
}

const known = new WeakMap<MailTemplate, { subject: Template[]; body: Template[] }>();

function parsed(template: MailTemplate): { subject: Template[]; body: Template[] } {
  const found = known.get(template);
  if (found) return found;
  const fresh = { subject: parseTemplate(template.subject), body: parseTemplate(template.body) };
  known.set(template, fresh);
  return fresh;
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
