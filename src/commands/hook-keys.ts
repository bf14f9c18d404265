import type { Operation } from '../operations/core/operation.ts';
import { gateKeyOperations, mailEventKeyOperations } from '../operations/keys/hook-key-kinds.ts';
import { MAIL_PROVIDERS } from '../waitlist/mail-events/providers.ts';
import type { presentHookKey, presentMailEventKey } from '../wire/keys.ts';
import { type Command, table, UsageProblem } from './command.ts';
import { commandsFor } from './command-of.ts';
import type { FieldWords } from './field-flags.ts';

type HookKey = ReturnType<typeof presentHookKey> & Partial<ReturnType<typeof presentMailEventKey>>;
type NewHookKey = HookKey & { key: string; url: string };

interface Words {
  operations: readonly Operation[];
  /** In the names of operations, such as `GateKey`. */
  name: string;
  /** The first word of the commands. */
  word: string;
  called: string;
  purpose: string;
  /** Who signs. */
  signers: string;
  afterDeletion: string;
  /** What only these keys have. */
  fields: Record<string, FieldWords>;
  columns: Record<string, (key: HookKey) => string | null>;
}

export const gateKeyCommands = commandsOf({
  operations: gateKeyOperations,
  name: 'GateKey',
  word: 'gate-key',
  called: 'gate key',
  purpose: 'lets only invited people sign up to your product',
  signers: 'Supabase and WorkOS',
  afterDeletion: 'With it, nobody can sign up any more.',
  fields: {},
  columns: {},
});

export const mailEventKeyCommands = commandsOf({
  operations: mailEventKeyOperations,
  name: 'MailEventKey',
  word: 'mail-event-key',
  called: 'mail event key',
  purpose: 'your mail provider reports bounces and complaints with',
  signers: 'Resend, Mailgun and SendGrid',
  afterDeletion: 'What the provider reports with it is refused.',
  fields: {
    provider: { value: 'PROVIDER', about: `Whose reports: ${MAIL_PROVIDERS.join(', ')}.` },
    topic: {
      value: 'ARN',
      about: 'For ses: the topic of Amazon SNS, or none (default: the first subscription that is confirmed).',
    },
  },
  columns: { PROVIDER: ({ provider }) => provider ?? null, TOPIC: ({ topic }) => topic ?? null },
});

function commandsOf(words: Words): Command[] {
  const { operations, name, word, called, purpose, signers, afterDeletion, columns } = words;
  const command = commandsFor(operations);
  const title = `${called[0]?.toUpperCase()}${called.slice(1)}`;
  const fields: Record<string, FieldWords> = {
    ...words.fields,
    name: { value: 'NAME', about: 'What to call it, so that you can tell keys apart.' },
    secret: {
      value: 'FILE',
      about: `File with the secret that the provider signs with, or - for standard input. For ${signers}.`,
    },
  };
  const changes = [
    'name',
    ...Object.keys(words.fields).filter((field) => field !== 'provider'),
    'secret-file',
  ];
  return [
    command<NewHookKey>(`create${name}`, {
      name: `${word} create`,
      once: true,
      about: `Create a key that ${purpose}. It is shown only once.`,
      fields,
      flags: { quiet: { about: 'Print only the key.' } },
      show: (created, { flags }) => {
        const { id, key, url } = created;
        const text = `${url}\n\nStore this URL now: its key is not shown again. ${title} ID: ${id}`;
        return { json: created, text: flags.quiet === true ? key : text };
      },
    }),
    command<Record<string, HookKey[]>>(`list${name}s`, {
      name: `${word} list`,
      about: `List ${called}s, without the keys themselves.`,
      show: (answer) => {
        const list = Object.values(answer).flat();
        const rows = list.map((key) => [
          ...[key.id, `…${key.hint}`, key.name, key.signed ? 'yes' : 'no'],
          ...Object.values(columns).map((read) => read(key)),
          ...[key.createdAt, key.lastUsedAt],
        ]);
        const head = ['ID', 'KEY', 'NAME', 'SIGNED', ...Object.keys(columns), 'CREATED', 'LAST USED'];
        return { json: list, text: table(head, rows) };
      },
    }),
    command<HookKey>(`update${name}`, {
      name: `${word} update`,
      about: `Rename a ${called}, or set the secret that the provider signs with.`,
      fields,
      flags: { unsigned: { about: 'Remove the secret.' } },
      input: (flags) => {
        if (flags.unsigned !== undefined && flags['secret-file'] !== undefined)
          throw new UsageProblem('use either --secret-file or --unsigned');
        if ([...changes, 'unsigned'].every((flag) => flags[flag] === undefined))
          throw new UsageProblem(
            `${changes.map((flag) => `--${flag}`).join(', ')} or --unsigned is required`,
          );
        return flags.unsigned === true ? { secret: null } : {};
      },
      show: (changed) => ({ json: changed, text: `Updated ${changed.id}.` }),
    }),
    command<{ id: string }>(`delete${name}`, {
      name: `${word} delete`,
      about: `Delete a ${called} immediately. ${afterDeletion}`,
      show: (deleted) => ({ json: deleted, text: `Deleted ${deleted.id}.` }),
    }),
  ];
}
