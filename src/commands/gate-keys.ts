import { readFileSync } from 'node:fs';
import { sendingOf } from '../mail/sending.ts';
import {
  changeGateKey,
  createGateKey,
  deleteGateKey,
  type GateKeyChanges,
  listGateKeys,
} from '../waitlist/gate/gate-keys.ts';
import { presentCreatedGateKey, presentGateKey } from '../wire/gate-key.ts';
import { type Command, type Flags, table, textOr, UsageProblem } from './command.ts';
import { QUEUE_FLAGS, queueOf } from './queue.ts';

const NAME = { name: { value: 'NAME', about: 'What to call it, so that you can tell keys apart.' } };
// Not the secret itself: other users of the machine can see the arguments of a command.
const SECRET = {
  'secret-file': {
    value: 'FILE',
    about: 'File with the secret that the provider signs with, or /dev/stdin. For Supabase and WorkOS.',
  },
};

export const gateKeys: Command[] = [
  {
    name: 'gate-key create',
    about: 'Create a key that lets only invited people sign up to your product. It is shown only once.',
    flags: { ...QUEUE_FLAGS, ...NAME, ...SECRET, quiet: { about: 'Print only the key.' } },
    run: async (context, _, flags, config) => {
      const created = await createGateKey(context, await queueOf(context, flags), changesOf(flags));
      const { publicUrl } = await sendingOf(context, config);
      const json = presentCreatedGateKey(created, publicUrl);
      const text = `${json.url}\n\nStore this URL now: its key is not shown again. Gate key ID: ${json.id}`;
      return { json, text: flags.quiet === true ? json.key : text };
    },
  },
  {
    name: 'gate-key list',
    about: 'List gate keys, without the keys themselves.',
    flags: QUEUE_FLAGS,
    run: async (context, _, flags) => {
      const list = (await listGateKeys(context, await queueOf(context, flags))).map(presentGateKey);
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
    name: 'gate-key update',
    about: 'Rename a gate key, or set the secret that the provider signs with.',
    operands: ['GATE_KEY_ID'],
    flags: { ...QUEUE_FLAGS, ...NAME, ...SECRET, unsigned: { about: 'Remove the secret.' } },
    run: async (context, [id = ''], flags) => {
      const changes = changesOf(flags);
      if (flags.unsigned === true) {
        if (changes.secret !== undefined) throw new UsageProblem('use either --secret-file or --unsigned');
        changes.secret = null;
      }
      if (Object.keys(changes).length === 0)
        throw new UsageProblem('--name, --secret-file or --unsigned is required');
      const changed = await changeGateKey(context, await queueOf(context, flags), id, changes);
      return { json: presentGateKey(changed), text: `Updated ${id}.` };
    },
  },
  {
    name: 'gate-key delete',
    about: 'Delete a gate key immediately. With it, nobody can sign up any more.',
    operands: ['GATE_KEY_ID'],
    flags: QUEUE_FLAGS,
    run: async (context, [id = ''], flags) => {
      await deleteGateKey(context, await queueOf(context, flags), id);
      return { json: { id, deleted: true }, text: `Deleted ${id}.` };
    },
  },
];

function changesOf(flags: Flags): GateKeyChanges {
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
