import type { Static } from 'typebox';
import { LANGUAGES, type Language } from '../languages/languages.ts';
import { mailableTo } from '../mail/mailable.ts';
import type { presentSuppression } from '../mail/present.ts';
import { failureNote, type presentMail, presentMailDetails } from '../mail/present.ts';
import { hasMailServer, sendingOf } from '../mail/sending.ts';
import {
  MAIL_KINDS,
  MAIL_STATES,
  type MailKind,
  OPTIONAL_KINDS,
  type OptionalKind,
} from '../mail/templates/kinds.ts';
import { mailbox } from '../operations/mails/mailbox.ts';
import { mailSettings, type UpdatedSettings } from '../operations/mails/settings.ts';
import { eachKind, getMailStatus, type MailStatus } from '../operations/mails/status.ts';
import { suppressions } from '../operations/mails/suppressions.ts';
import { type Command, type Flags, type Outcome, table, textOr, UsageProblem } from './command.ts';
import { commandOf, commandsFor, type Given } from './command-of.ts';
import type { FieldWords } from './field-flags.ts';
import { commandOn, QUEUE_FLAGS, queueOf } from './queue.ts';

/** `default` is what these flags say for null. */
const orDefault: FieldWords = { read: (text) => (text === 'default' ? null : text) };
const URL = { ...orDefault, value: 'URL' };

const command = commandsFor([...mailSettings, ...mailbox, ...suppressions]);

export const mails: Command[] = [
  command<Static<typeof UpdatedSettings>>('updateMailSettings', {
    name: 'mail settings',
    about: 'Show the email settings of a waitlist, or change them with flags.',
    fields: {
      environment: false,
      kinds: {
        value: 'a,b',
        about: `Comma-separated kinds to send, or none: ${OPTIONAL_KINDS.join(', ')}.`,
        read: parseKinds,
      },
      from: { ...orDefault, value: 'EMAIL', about: 'Sender address, or default.' },
      fromName: { ...orDefault, value: 'NAME', about: 'Sender name, or default (the name of the waitlist).' },
      replyTo: { ...orDefault, value: 'EMAIL', about: 'Reply-To address, or default (the sender).' },
      joinUrl: { ...URL, about: 'Invite page with {code} in the URL, or default (the built-in page).' },
      confirmUrl: { ...URL, about: 'Confirm page with {token} in the URL, or default (the built-in page).' },
      referralUrl: {
        ...URL,
        about:
          'Link to share, with {referralCode} in the URL, or default (the hosted page, if the form is on).',
      },
      colour: { ...orDefault, value: '#rrggbb', about: 'Color of buttons and links, or default.' },
      logoUrl: { ...URL, about: 'HTTPS image for the header, or default (the name of the waitlist).' },
      language: {
        value: 'LANGUAGE',
        about: `Language for people whose own is not known, or default (en): ${LANGUAGES.join(', ')}.`,
        read: (text, flag) => (text === 'default' ? null : readLanguage(text, flag)),
      },
      footer: { ...orDefault, about: 'Footer text, or default (none).', value: 'TEXT' },
      inviteReminderMs: {
        flag: 'reminder',
        about: 'How long before an invite expires to send the reminder (default: 24h).',
      },
    },
    show: (answer) => {
      const { warnings, ...settings } = answer;
      const rows = Object.entries(settings).map(([name, value]) => [
        name,
        Array.isArray(value) ? value.join(', ') || 'none' : value === null ? 'default' : String(value),
      ]);
      const notes = warnings.map(({ message }) => `\n\n${message}`);
      return { json: answer, text: table(['SETTING', 'VALUE'], rows) + notes.join('') };
    },
  }),
  commandOf<Static<typeof MailStatus>>(getMailStatus, {
    name: 'mail status',
    about: 'Show whether each kind of email is sent, or why not, and how many are kept.',
    flags: { to: { value: 'EMAIL', about: 'Show it for this person.' } },
    show: showStatus,
  }),
  command<{ mails: ReturnType<typeof presentMail>[]; nextCursor: string | null }>('listMails', {
    name: 'mail list',
    about: 'List emails, newest first.',
    fields: {
      state: { value: 'STATE', about: `Only emails in this state: ${MAIL_STATES.join(', ')}.` },
      kind: { value: 'KIND', about: 'Only emails of this kind.' },
      email: {
        flag: 'to',
        value: 'EMAIL',
        about: 'Only emails to exactly this address. Not with --state, --kind or --entry.',
      },
      entry: { value: 'ENTRY_ID', about: 'Only emails to or about this entry. Not with --state or --kind.' },
      limit: { value: 'N', about: 'Number of results (default: 50).' },
      cursor: { value: 'MAIL_ID', about: 'Cursor from the previous page.' },
    },
    show: (page) => {
      const rows = page.mails.map((one) => [
        ...[one.id, one.kind, one.to, one.state, one.attempts, one.createdAt, one.error],
      ]);
      const more = page.nextCursor ? `\n\nNext page: --cursor ${page.nextCursor}` : '';
      const headings = ['ID', 'KIND', 'TO', 'STATE', 'ATTEMPTS', 'CREATED', 'ERROR'];
      return { json: page, text: table(headings, rows) + more };
    },
  }),
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
  command<ReturnType<typeof presentSuppression>[]>('listSuppressions', {
    name: 'mail suppressed',
    about:
      'List suppressed addresses (bounced, complained or unsubscribed): by their hashes, and with the email of people on the list or invited.',
    all: 'suppressions',
    show: (list) => {
      const rows = list.map(({ hash, email, reason, since }) => [hash, email ?? '-', reason, since]);
      return { json: list, text: table(['HASH', 'EMAIL', 'REASON', 'SINCE'], rows) };
    },
  }),
  command<{ id: string }>('removeSuppression', {
    name: 'mail unsuppress',
    about: 'Remove an address from the suppression list.',
    show: ({ id: email }) => ({
      json: { email, suppressed: false },
      text: `Removed ${email} from the suppression list.`,
    }),
  }),
];

async function showStatus(
  answer: Static<typeof MailStatus>,
  { flags, context, config }: Given,
): Promise<Outcome> {
  const queue = await queueOf(context, flags);
  const hasServer = await hasMailServer(context, config);
  const to = textOr(flags, 'to', undefined);
  const kinds =
    to === undefined
      ? answer.kinds
      : await eachKind((kind) => mailableTo(context, queue, kind, to, hasServer));
  const { kept, keptMore } = answer;
  const rows = kinds.map(({ kind, mailable, message }) => [kind, mailable ? 'yes' : 'no', message]);
  const many = `${kept}${keptMore ? ' or more' : ''} ${kept === 1 ? 'email is' : 'emails are'} kept.`;
  const next =
    hasServer && kept > 0 && queue.environment === 'production'
      ? ` Run \`${commandOn(queue, 'mail', 'send-kept')}\` to send.`
      : '';
  const text = `${table(['KIND', 'SENT', 'WHY NOT'], rows)}\n\n${many}${next}`;
  return { json: { ...answer, kinds }, text };
}

export function parseLanguage(flags: Flags): Language | undefined {
  const text = textOr(flags, 'language', undefined);
  return text === undefined ? undefined : readLanguage(text, 'language');
}

function readLanguage(text: string, flag: string): Language {
  const language = LANGUAGES.find((one) => one === text);
  if (!language) throw new UsageProblem(`--${flag}: must be one of ${LANGUAGES.join(', ')}`);
  return language;
}

function parseKinds(text: string): OptionalKind[] {
  return text === 'none' ? [] : text.split(',').map((kind) => kindAmong(OPTIONAL_KINDS, kind.trim()));
}

export function requireKind(text: string): MailKind {
  return kindAmong(MAIL_KINDS, text);
}

function kindAmong<Kind extends MailKind>(kinds: readonly Kind[], text: string): Kind {
  const kind = kinds.find((each) => each === text);
  if (kind) return kind;
  throw new UsageProblem(`unknown email kind "${text}": must be one of ${kinds.join(', ')}`);
}
