import { readFileSync } from 'node:fs';
import { isoTime, isoTimeOrNull } from '../lib/time.ts';
import { sendingOf } from '../mail/sending.ts';
import { gateKeys } from '../waitlist/gate/gate-keys.ts';
import type { CreatedHookKey, HookKeyChanges, HookKeySummary } from '../waitlist/keys/hook-keys.ts';
import { mailEventKeys } from '../waitlist/mail-events/mail-event-keys.ts';
import { MAIL_PROVIDERS } from '../waitlist/mail-events/providers.ts';
import type { Context } from '../waitlist/queue/context.ts';
import type { Queue } from '../waitlist/queue/queue.ts';
import {
  presentCreatedGateKey,
  presentCreatedMailEventKey,
  presentHookKey,
  presentMailEventKey,
} from '../wire/hook-keys.ts';
import { type Command, type Flag, type Flags, requireText, table, textOr, UsageProblem } from './command.ts';
import { QUEUE_FLAGS, queueOf } from './queue.ts';

const NAME = { name: { value: 'NAME', about: 'What to call it, so that you can tell keys apart.' } };

interface Words<Own> {
  keys: {
    list(context: Context, queue: Queue): Promise<HookKeySummary[]>;
    create(context: Context, queue: Queue, input: HookKeyChanges & Own): Promise<CreatedHookKey>;
    change(
      context: Context,
      queue: Queue,
      keyId: string,
      changes: HookKeyChanges & Partial<Own>,
    ): Promise<HookKeySummary>;
    remove(context: Context, queue: Queue, keyId: string): Promise<void>;
  };
  /** What only these keys have. */
  own: {
    flags: { create: Record<string, Flag>; update: Record<string, Flag> };
    read(flags: Flags, does: 'create' | 'update'): Own;
    columns: Record<string, (key: HookKeySummary) => string | null>;
  };
  /** The first word of the commands. */
  word: string;
  called: string;
  purpose: string;
  /** Who signs. */
  signers: string;
  afterDeletion: string;
  present(key: HookKeySummary): object;
  presentCreated(created: CreatedHookKey, publicUrl: string): { id: string; key: string; url: string };
}

const TOPIC = {
  topic: {
    value: 'ARN',
    about: 'For ses: the topic of Amazon SNS, or none (default: the first subscription that is confirmed).',
  },
};

export const gateKeyCommands = commandsFor({
  keys: gateKeys,
  word: 'gate-key',
  called: 'gate key',
  purpose: 'lets only invited people sign up to your product',
  signers: 'Supabase and WorkOS',
  afterDeletion: 'With it, nobody can sign up any more.',
  own: { flags: { create: {}, update: {} }, read: () => ({}), columns: {} },
  present: presentHookKey,
  presentCreated: presentCreatedGateKey,
});

export const mailEventKeyCommands = commandsFor({
  keys: mailEventKeys,
  word: 'mail-event-key',
  called: 'mail event key',
  purpose: 'your mail provider reports bounces and complaints with',
  signers: 'Resend, Mailgun and SendGrid',
  afterDeletion: 'What the provider reports with it is refused.',
  own: {
    flags: {
      create: {
        provider: {
          value: 'PROVIDER',
          about: `Whose reports: ${MAIL_PROVIDERS.join(', ')}.`,
          required: true,
        },
        ...TOPIC,
      },
      update: TOPIC,
    },
    read: (flags, does) => {
      const topic = textOr(flags, 'topic', undefined);
      return {
        ...(does === 'create' ? { provider: requireText(flags, 'provider') } : {}),
        ...(topic === undefined ? {} : { topic: topic === 'none' ? null : topic }),
      } as { provider: string; topic?: string | null };
    },
    columns: { PROVIDER: ({ own }) => own.provider ?? null, TOPIC: ({ own }) => own.topic ?? null },
  },
  present: presentMailEventKey,
  presentCreated: presentCreatedMailEventKey,
});

function commandsFor<Own extends object>(words: Words<Own>): Command[] {
  const { keys, word, called, purpose, signers, afterDeletion, own, present, presentCreated } = words;
  const operands = [`${word.replaceAll('-', '_').toUpperCase()}_ID`];
  const updates = Object.keys(own.flags.update).map((name) => `--${name}`);
  // Not the secret itself: other users of the machine can see the arguments of a command.
  const secretFile = {
    'secret-file': {
      value: 'FILE',
      about: `File with the secret that the provider signs with, or /dev/stdin. For ${signers}.`,
    },
  };
  return [
    {
      name: `${word} create`,
      once: true,
      about: `Create a key that ${purpose}. It is shown only once.`,
      flags: {
        ...QUEUE_FLAGS,
        ...own.flags.create,
        ...NAME,
        ...secretFile,
        quiet: { about: 'Print only the key.' },
      },
      run: async (context, _, flags, config) => {
        const input = { ...changesOf(flags), ...own.read(flags, 'create') };
        const created = await keys.create(context, await queueOf(context, flags), input);
        const { publicUrl } = await sendingOf(context, config);
        const json = presentCreated(created, publicUrl);
        const id = `${called[0]?.toUpperCase()}${called.slice(1)} ID: ${json.id}`;
        const text = `${json.url}\n\nStore this URL now: its key is not shown again. ${id}`;
        return { json, text: flags.quiet === true ? json.key : text };
      },
    },
    {
      name: `${word} list`,
      about: `List ${called}s, without the keys themselves.`,
      flags: QUEUE_FLAGS,
      run: async (context, _, flags) => {
        const list = await keys.list(context, await queueOf(context, flags));
        const rows = list.map((key) => [
          key.id,
          `…${key.hint}`,
          key.name,
          key.signed ? 'yes' : 'no',
          ...Object.values(own.columns).map((read) => read(key)),
          isoTime(key.createdAt),
          isoTimeOrNull(key.lastUsedAt),
        ]);
        const head = ['ID', 'KEY', 'NAME', 'SIGNED', ...Object.keys(own.columns), 'CREATED', 'LAST USED'];
        return { json: list.map(present), text: table(head, rows) };
      },
    },
    {
      name: `${word} update`,
      about: `Rename a ${called}, or set the secret that the provider signs with.`,
      operands,
      flags: {
        ...QUEUE_FLAGS,
        ...own.flags.update,
        ...NAME,
        ...secretFile,
        unsigned: { about: 'Remove the secret.' },
      },
      run: async (context, [id = ''], flags) => {
        const changes = { ...changesOf(flags), ...own.read(flags, 'update') };
        if (flags.unsigned === true) {
          if (changes.secret !== undefined) throw new UsageProblem('use either --secret-file or --unsigned');
          changes.secret = null;
        }
        if (Object.keys(changes).length === 0)
          throw new UsageProblem(
            `${['--name', ...updates, '--secret-file'].join(', ')} or --unsigned is required`,
          );
        const changed = await keys.change(context, await queueOf(context, flags), id, changes);
        return { json: present(changed), text: `Updated ${id}.` };
      },
    },
    {
      name: `${word} delete`,
      about: `Delete a ${called} immediately. ${afterDeletion}`,
      operands,
      flags: QUEUE_FLAGS,
      run: async (context, [id = ''], flags) => {
        await keys.remove(context, await queueOf(context, flags), id);
        return { json: { id, deleted: true }, text: `Deleted ${id}.` };
      },
    },
  ];
}

function changesOf(flags: Flags): HookKeyChanges {
  const name = textOr(flags, 'name', undefined);
  const file = textOr(flags, 'secret-file', undefined);
  return {
    ...(name === undefined ? {} : { name }),
    ...(file === undefined ? {} : { secret: readSecret(file) }),
  };
}

function readSecret(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageProblem(`--secret-file: cannot read ${file} (${(error as NodeJS.ErrnoException).code})`);
  }
}
