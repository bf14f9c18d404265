import { isMailKind, MAIL_KINDS, MAIL_STATES, type MailKind, type MailState } from '../mail/kinds.ts';
import { sendingOf } from '../mail/sending.ts';
import { type MailChanges, showMailSettings, updateMailSettings } from '../mail/update-settings.ts';
import { listSuppressions, unsuppress } from '../waitlist/links/suppression.ts';
import { presentSuppression } from '../wire/suppression.ts';
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
import { QUEUE_FLAGS, queueOf } from './queue.ts';

export const mails: Command[] = [
  {
    name: 'mail settings',
    about: 'Shows which mails a waitlist sends and how they look; with flags, changes that.',
    flags: {
      waitlist: { value: 'WAITLIST_ID', about: 'The waitlist.', required: true },
      kinds: { value: 'a,b', about: `Kinds to send, or none: ${MAIL_KINDS.join(', ')}.` },
      from: { value: 'EMAIL', about: 'Sender, or default.' },
      'from-name': { value: 'NAME', about: "Name of the sender, or default (the waitlist's)." },
      'reply-to': { value: 'EMAIL', about: 'Where answers go, or default (the sender).' },
      'join-url': { value: 'URL', about: 'Where invites lead, with {code} in it, or default (our page).' },
      'confirm-url': {
        value: 'URL',
        about: 'Where mails that ask to confirm lead, with {token} in it, or default (our page).',
      },
      'referral-url': {
        value: 'URL',
        about: 'What people share, with {referralCode} in it, or default (nothing).',
      },
      colour: { value: '#rrggbb', about: 'Of buttons and links, or default.' },
      'logo-url': { value: 'URL', about: 'An https image above the mail, or default (the name).' },
      footer: { value: 'TEXT', about: 'Below every mail, or default (nothing).' },
      reminder: { value: 'DURATION', about: 'How long before its end an invite is recalled (24h).' },
    },
    run: async (context, _, flags) => {
      const id = requireText(flags, 'waitlist');
      const changes = parseChanges(flags);
      if (Object.keys(changes).length > 0) await updateMailSettings(context, id, changes);
      const view = await showMailSettings(context, id);
      const rows = Object.entries(view).map(([name, value]) => [
        name,
        Array.isArray(value) ? value.join(', ') || 'none' : value === null ? 'default' : String(value),
      ]);
      return { json: view, text: table(['SETTING', 'VALUE'], rows) };
    },
  },
  {
    name: 'mail list',
    about: 'Lists the mails of a queue, sent or kept, the newest first.',
    flags: {
      ...QUEUE_FLAGS,
      state: { value: 'STATE', about: `Only these: ${MAIL_STATES.join(', ')}.` },
      limit: { value: 'N', about: 'How many (50).' },
      cursor: { value: 'MAIL_ID', about: 'Goes on behind this one.' },
    },
    run: async (context, _, flags) => {
      const { listMails } = await import('../mail/mailbox.ts'); // With all that makes mails: only where needed.
      const page = await listMails(context, await queueOf(context, flags), {
        limit: parseWhole(flags, 'limit', { from: 1, to: 200 }) ?? 50,
        cursor: textOr(flags, 'cursor', undefined),
        state: parseState(textOr(flags, 'state', undefined)),
      });
      const rows = page.mails.map((one) => [
        one.id,
        one.kind,
        one.to,
        one.state,
        one.attempts,
        one.createdAt,
        one.error,
      ]);
      const more = page.nextCursor ? `\n\nMore with --cursor ${page.nextCursor}` : '';
      const headings = ['ID', 'KIND', 'TO', 'STATE', 'ATTEMPTS', 'RECORDED', 'PROBLEM'];
      return { json: page, text: table(headings, rows) + more };
    },
  },
  {
    name: 'mail show',
    about: 'Shows one mail as it is sent, and each attempt.',
    operands: ['MAIL_ID'],
    flags: { ...QUEUE_FLAGS, html: { about: 'Print the HTML part instead.' } },
    run: async (context, [id = ''], flags, config) => {
      const { showMail } = await import('../mail/mailbox.ts');
      const sending = await sendingOf(context, config);
      const view = await showMail(context, await queueOf(context, flags), id, sending);
      const { mail } = view;
      if (!mail) return { json: view, text: `${view.id}  ${view.kind}  ${view.state}\n(erased)` };
      const rows = view.log.map((one) => [
        one.attempt,
        one.at,
        one.status,
        one.error ?? 'taken',
        one.response,
      ]);
      const log = table(['ATTEMPT', 'AT', 'STATUS', 'OUTCOME', 'ANSWER'], rows);
      const head = `${view.id}  ${view.kind}  ${view.state}\nFrom: ${mail.from.name} <${mail.from.address}>\nTo: ${mail.to}\nSubject: ${mail.subject}`;
      return { json: view, text: flags.html === true ? mail.html : `${head}\n\n${mail.text}\n${log}` };
    },
  },
  {
    name: 'mail suppressed',
    about: 'Lists addresses that get no mail, by a hash: bounced, or unsubscribed.',
    flags: { ...QUEUE_FLAGS, limit: { value: 'N', about: 'How many (100).' } },
    run: async (context, _, flags) => {
      const limit = parseWhole(flags, 'limit', { from: 1, to: 1_000 }) ?? 100;
      const found = await listSuppressions(context, await queueOf(context, flags), limit);
      const list = found.map(presentSuppression);
      const rows = list.map(({ hash, reason, since }) => [hash, reason, since]);
      return { json: list, text: table(['HASH', 'REASON', 'SINCE'], rows) };
    },
  },
  {
    name: 'mail unsuppress',
    about: 'Lets an address get mail again.',
    operands: ['EMAIL'],
    flags: QUEUE_FLAGS,
    run: async (context, [email = ''], flags) => {
      await unsuppress(context, await queueOf(context, flags), email);
      return { json: { email, suppressed: false }, text: `${email} gets mail again.` };
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
    inviteReminderMs: reminder === undefined ? undefined : parseDuration(reminder, 'reminder'),
  };
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}

function parseKinds(text: string): MailKind[] {
  return text === 'none' ? [] : text.split(',').map((kind) => requireKind(kind.trim()));
}

export function requireKind(text: string): MailKind {
  if (isMailKind(text)) return text;
  throw new UsageProblem(`there is no kind of mail "${text}"; there are ${MAIL_KINDS.join(', ')}`);
}
