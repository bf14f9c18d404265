import { LANGUAGES, type Language } from '../languages/languages.ts';
import { countKept } from '../mail/mail-log.ts';
import { mailableFrom, mailableTo, mailWarnings } from '../mail/mailable.ts';
import { failureNote, presentMail, presentMailDetails, presentSuppression } from '../mail/present.ts';
import { hasMailServer, sendingOf } from '../mail/sending.ts';
import {
  isMailKind,
  MAIL_KINDS,
  MAIL_STATES,
  type MailKind,
  type MailState,
} from '../mail/templates/kinds.ts';
import { type MailChanges, showMailSettings, updateMailSettings } from '../mail/update-settings.ts';
import { findSuppressedPeople } from '../waitlist/links/suppressed-people.ts';
import { listSuppressions, unsuppress } from '../waitlist/links/suppression.ts';
import { mailTarget } from '../waitlist/sending/state.ts';
import { pictureUrl } from '../waitlist/settings/pictures.ts';
import {
  type Command,
  type Flags,
  parseDuration,
  parseWhole,
  requireText,
  table,
  textOr,
  UsageProblem,
} from './command.ts';
import { commandOn, QUEUE_FLAGS, queueOf } from './queue.ts';

export const mails: Command[] = [
  {
    name: 'mail settings',
    about: 'Show the email settings of a waitlist, or change them with flags.',
    flags: {
      waitlist: { value: 'WAITLIST_ID', about: 'Waitlist.', required: true },
      kinds: { value: 'a,b', about: `Comma-separated kinds to send, or none: ${MAIL_KINDS.join(', ')}.` },
      from: { value: 'EMAIL', about: 'Sender address, or default.' },
      'from-name': { value: 'NAME', about: 'Sender name, or default (the name of the waitlist).' },
      'reply-to': { value: 'EMAIL', about: 'Reply-To address, or default (the sender).' },
      'join-url': {
        value: 'URL',
        about: 'Invite page with {code} in the URL, or default (the built-in page).',
      },
      'confirm-url': {
        value: 'URL',
        about: 'Confirm page with {token} in the URL, or default (the built-in page).',
      },
      'referral-url': {
        value: 'URL',
        about:
          'Link to share, with {referralCode} in the URL, or default (the hosted page, if the form is on).',
      },
      colour: { value: '#rrggbb', about: 'Color of buttons and links, or default.' },
      'logo-url': {
        value: 'URL',
        about: 'HTTPS image for the header, or default (the name of the waitlist).',
      },
      language: {
        value: 'LANGUAGE',
        about: `Language for people whose own is not known, or default (en): ${LANGUAGES.join(', ')}.`,
      },
      footer: { value: 'TEXT', about: 'Footer text, or default (none).' },
      reminder: {
        field: 'inviteReminderMs',
        value: 'DURATION',
        about: 'How long before an invite expires to send the reminder (default: 24h).',
      },
    },
    run: async (context, _, flags, config) => {
      const id = requireText(flags, 'waitlist');
      const changes = parseChanges(flags);
      if (Object.keys(changes).length > 0) await updateMailSettings(context, id, changes);
      const settings = await showMailSettings(context, id);
      const { publicUrl } = await sendingOf(context, config);
      const view = { ...settings, logoUrl: pictureUrl(settings.logoUrl, publicUrl) };
      const rows = Object.entries(view).map(([name, value]) => [
        name,
        Array.isArray(value) ? value.join(', ') || 'none' : value === null ? 'default' : String(value),
      ]);
      const warnings = await mailWarnings(context, id, await hasMailServer(context, config));
      const notes = warnings.map(({ message }) => `\n\n${message}`);
      return { json: { ...view, warnings }, text: table(['SETTING', 'VALUE'], rows) + notes.join('') };
    },
  },
  {
    name: 'mail status',
    about: 'Show whether each kind of email is sent, or why not, and how many are kept.',
    flags: {
      ...QUEUE_FLAGS,
      to: { value: 'EMAIL', about: 'Show it for this person.' },
    },
    run: async (context, _, flags, config) => {
      const queue = await queueOf(context, flags);
      const to = textOr(flags, 'to', undefined);
      const hasServer = await hasMailServer(context, config);
      const asked = MAIL_KINDS.map(async (kind) => ({
        kind,
        ...(to === undefined
          ? await mailableFrom(context, queue, kind, hasServer)
          : await mailableTo(context, queue, kind, to, hasServer)),
      }));
      const kinds = await Promise.all(asked);
      const { count: kept, more: keptMore } = await countKept(context.db, mailTarget(queue.id));
      const rows = kinds.map(({ kind, mailable, message }) => [kind, mailable ? 'yes' : 'no', message]);
      const many = `${kept}${keptMore ? ' or more' : ''} ${kept === 1 ? 'email is' : 'emails are'} kept.`;
      const next =
        hasServer && kept > 0 && queue.environment === 'production'
          ? ` Run \`${commandOn(queue, 'mail', 'send-kept')}\` to send.`
          : '';
      const text = `${table(['KIND', 'SENT', 'WHY NOT'], rows)}\n\n${many}${next}`;
      return { json: { kinds, kept, keptMore }, text };
    },
  },
  {
    name: 'mail list',
    about: 'List emails, newest first.',
    flags: {
      ...QUEUE_FLAGS,
      state: { value: 'STATE', about: `Only emails in this state: ${MAIL_STATES.join(', ')}.` },
      to: { value: 'EMAIL', about: 'Only emails to exactly this address. Not with --state.' },
      limit: { value: 'N', about: 'Number of results (default: 50).' },
      cursor: { value: 'MAIL_ID', about: 'Cursor from the previous page.' },
    },
    run: async (context, _, flags) => {
      const { listMails, listMailsTo } = await import('../mail/mailbox.ts'); // Loads the mail code, so only if needed.
      const queue = await queueOf(context, flags);
      const to = textOr(flags, 'to', undefined);
      const state = parseState(textOr(flags, 'state', undefined));
      if (to !== undefined && state !== undefined) throw new UsageProblem('--to cannot be used with --state');
      const range = {
        limit: parseWhole(flags, 'limit', { from: 1, to: 200 }) ?? 50,
        cursor: textOr(flags, 'cursor', undefined),
      };
      const { mails: found, nextCursor } =
        to === undefined
          ? await listMails(context, queue, { ...range, state })
          : await listMailsTo(context, queue, to, range);
      const page = { mails: found.map(presentMail), nextCursor };
      const rows = page.mails.map((one) => [
        one.id,
        one.kind,
        one.to,
        one.state,
        one.attempts,
        one.createdAt,
        one.error,
      ]);
      const more = page.nextCursor ? `\n\nNext page: --cursor ${page.nextCursor}` : '';
      const headings = ['ID', 'KIND', 'TO', 'STATE', 'ATTEMPTS', 'CREATED', 'ERROR'];
      return { json: page, text: table(headings, rows) + more };
    },
  },
  {
    name: 'mail show',
    about: 'Show an email as sent, with its attempts.',
    operands: ['MAIL_ID'],
    flags: { ...QUEUE_FLAGS, html: { about: 'Print the HTML part.' } },
    run: async (context, [id = ''], flags, config) => {
      const { showMail } = await import('../mail/mailbox.ts');
      const sending = await sendingOf(context, config);
      const view = presentMailDetails(await showMail(context, await queueOf(context, flags), id, sending));
      const { mail } = view;
      if (!mail) return { json: view, text: `${view.id}  ${view.kind}  ${view.state}\n(erased or damaged)` };
      const rows = view.log.map((one) => [
        one.attempt,
        one.at,
        one.status,
        one.error ?? 'sent',
        one.response,
      ]);
      const log = table(['ATTEMPT', 'AT', 'STATUS', 'OUTCOME', 'RESPONSE'], rows);
      const head = `${view.id}  ${view.kind}  ${view.state}\nFrom: ${mail.from.name} <${mail.from.address}>\nTo: ${mail.to}\n${failureNote(mail)}Subject: ${mail.subject}`;
      return { json: view, text: flags.html === true ? mail.html : `${head}\n\n${mail.text}\n${log}` };
    },
  },
  {
    name: 'mail suppressed',
    about:
      'List suppressed addresses (bounced, complained or unsubscribed): by their hashes, and with the email of people on the list or invited.',
    flags: { ...QUEUE_FLAGS, limit: { value: 'N', about: 'Number of results (default: 100).' } },
    run: async (context, _, flags) => {
      const limit = parseWhole(flags, 'limit', { from: 1, to: 1_000 }) ?? 100;
      const queue = await queueOf(context, flags);
      const found = await findSuppressedPeople(context, queue, await listSuppressions(context, queue, limit));
      const list = found.map(presentSuppression);
      const rows = list.map(({ hash, email, reason, since }) => [hash, email ?? '-', reason, since]);
      return { json: list, text: table(['HASH', 'EMAIL', 'REASON', 'SINCE'], rows) };
    },
  },
  {
    name: 'mail unsuppress',
    about: 'Remove an address from the suppression list.',
    operands: ['EMAIL'],
    flags: QUEUE_FLAGS,
    run: async (context, [email = ''], flags) => {
      await unsuppress(context, await queueOf(context, flags), email);
      return { json: { email, suppressed: false }, text: `Removed ${email} from the suppression list.` };
    },
  },
];

function parseState(text: string | undefined): MailState | undefined {
  const state = MAIL_STATES.find((one) => one === text);
  if (text !== undefined && !state)
    throw new UsageProblem(`--state: must be one of ${MAIL_STATES.join(', ')}`);
  return state;
}

function parseChanges(flags: Flags): MailChanges {
  const orDefault = (name: string) => (flags[name] === 'default' ? null : textOr(flags, name, undefined));
  const reminder = textOr(flags, 'reminder', undefined);
  const changes = {
    kinds: flags.kinds === undefined ? undefined : parseKinds(textOr(flags, 'kinds', '')),
    from: orDefault('from'),
    fromName: orDefault('from-name'),
    replyTo: orDefault('reply-to'),
    joinUrl: orDefault('join-url'),
    confirmUrl: orDefault('confirm-url'),
    referralUrl: orDefault('referral-url'),
    colour: orDefault('colour'),
    logoUrl: orDefault('logo-url'),
    footer: orDefault('footer'),
    language: flags.language === 'default' ? null : parseLanguage(flags),
    inviteReminderMs: reminder === undefined ? undefined : parseDuration(reminder, 'reminder'),
  };
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}

export function parseLanguage(flags: Flags): Language | undefined {
  const text = textOr(flags, 'language', undefined);
  const language = LANGUAGES.find((one) => one === text);
  if (text !== undefined && !language)
    throw new UsageProblem(`--language: must be one of ${LANGUAGES.join(', ')}`);
  return language;
}

function parseKinds(text: string): MailKind[] {
  return text === 'none' ? [] : text.split(',').map((kind) => requireKind(kind.trim()));
}

export function requireKind(text: string): MailKind {
  if (isMailKind(text)) return text;
  throw new UsageProblem(`unknown email kind "${text}": must be one of ${MAIL_KINDS.join(', ')}`);
}
