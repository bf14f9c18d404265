import { readFileSync } from 'node:fs';
import { sendingOf } from '../mail/sending.ts';
import { gateKeys } from '../waitlist/gate/gate-keys.ts';
import type { CreatedHookKey, HookKeyChanges, HookKeys } from '../waitlist/keys/hook-keys.ts';
import { mailEventKeys } from '../waitlist/mail-events/mail-event-keys.ts';
import { presentCreatedGateKey } from '../wire/gate-key.ts';
import { presentHookKey } from '../wire/hook-key.ts';
import { presentCreatedMailEventKey } from '../wire/mail-event-key.ts';
import { type Command, type Flags, table, textOr, UsageProblem } from './command.ts';
import { QUEUE_FLAGS, queueOf } from './queue.ts';

const NAME = { name: { value: 'NAME', about: 'What to call it, so that you can tell keys apart.' } };

interface Words {
  keys: HookKeys<'gat' | 'mek'>;
  /** The first word of the commands. */
  word: string;
  called: string;
  purpose: string;
  /** Who signs. */
  signers: string;
  afterDeletion: string;
  present(created: CreatedHookKey, publicUrl: string): { id: string; key: string; url: string };
}

export const gateKeyCommands = commandsFor({
  keys: gateKeys,
  word: 'gate-key',
  called: 'gate key',
  purpose: 'lets only invited people sign up to your product',
  signers: 'Supabase and WorkOS',
  afterDeletion: 'With it, nobody can sign up any more.',
  present: presentCreatedGateKey,
});

export const mailEventKeyCommands = commandsFor({
  keys: mailEventKeys,
  word: 'mail-event-key',
  called: 'mail event key',
  purpose: 'your mail provider reports bounces and complaints with',
  signers: 'Resend, Mailgun and SendGrid',
  afterDeletion: 'What the provider reports with it is refused.',
  present: presentCreatedMailEventKey,
});

function commandsFor({ keys, word, called, purpose, signers, afterDeletion, present }: Words): Command[] {
  const operands = [`${word.replaceAll('-', '_').toUpperCase()}_ID`];
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
      flags: { ...QUEUE_FLAGS, ...NAME, ...secretFile, quiet: { about: 'Print only the key.' } },
      run: async (context, _, flags, config) => {
        const created = await keys.create(context, await queueOf(context, flags), changesOf(flags));
        const { publicUrl } = await sendingOf(context, config);
        const json = present(created, publicUrl);
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
        const list = (await keys.list(context, await queueOf(context, flags))).map(presentHookKey);
        const rows = list.map((key) => [
          key.id,
          `…${key.hint}`,
          key.name,
          key.signed ? 'yes' : 'no',
          key.createdAt,
          key.lastUsedAt,
        ]);
        return { json: list, text: table(['ID', 'KEY', 'NAME', 'SIGNED', 'CREATED', 'LAST USED'], rows) };
      },
    },
    {
      name: `${word} update`,
      about: `Rename a ${called}, or set the secret that the provider signs with.`,
      operands,
      flags: { ...QUEUE_FLAGS, ...NAME, ...secretFile, unsigned: { about: 'Remove the secret.' } },
      run: async (context, [id = ''], flags) => {
        const changes = changesOf(flags);
        if (flags.unsigned === true) {
          if (changes.secret !== undefined) throw new UsageProblem('use either --secret-file or --unsigned');
          changes.secret = null;
        }
        if (Object.keys(changes).length === 0)
          throw new UsageProblem('--name, --secret-file or --unsigned is required');
        const changed = await keys.change(context, await queueOf(context, flags), id, changes);
        return { json: presentHookKey(changed), text: `Updated ${id}.` };
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
