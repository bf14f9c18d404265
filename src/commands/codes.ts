import { sharedNow } from '../db/shared-clock.ts';
import { isoTimeOrNull } from '../lib/time.ts';
import { codes as operations } from '../operations/codes/codes.ts';
import { codeIdOf } from '../waitlist/codes/change-codes.ts';
import type { Context } from '../waitlist/queue/context.ts';
import type { presentCode } from '../wire/code.ts';
import type { PresentedEntry } from '../wire/entry.ts';
import { EXPIRY_FLAGS, type Flags, parseExpiry, table } from './command.ts';
import { commandsFor } from './command-of.ts';
import { queueOf } from './queue.ts';

type Code = ReturnType<typeof presentCode>;

interface Use {
  entry: PresentedEntry;
  usedAt: string;
  returnedAt: string | null;
}

const command = commandsFor(operations);
const ofCode = {
  operands: { CODE_OR_ID: false },
  input: async (flags: Flags, context: Context, [code = '']: readonly string[]) => ({
    codeId: await codeIdOf(context, await queueOf(context, flags), code),
  }),
} as const;

async function expiryInput(flags: Flags, context: Context) {
  const expiresAt = parseExpiry(flags, await sharedNow(context));
  return expiresAt === undefined ? {} : { expiresAt: isoTimeOrNull(expiresAt) };
}

export const codes = [
  command<Code>('createCode', {
    name: 'code create',
    once: true,
    about: 'Create a code that several people can use, such as FRIENDS-OF-ADA.',
    operands: { '[CODE]': 'code' },
    fields: {
      does: {
        about: 'admit (the default): they get in at once. advance: they join the waitlist --places earlier.',
      },
      places: { value: 'N', about: 'For advance: how many places earlier they count as having joined.' },
      limit: { value: 'N', about: 'How many people can use it.' },
      expiresAt: false,
      tag: { value: 'TEXT', about: 'Goes to the metadata of everybody who uses it.' },
    },
    flags: EXPIRY_FLAGS,
    input: expiryInput,
    show: (code) => ({ json: code, text: `${code.url ?? code.code}\n\n${line(code)}` }),
  }),
  command<Code[]>('listCodes', {
    name: 'code list',
    about: 'List codes, newest first.',
    all: 'codes',
    show: (list) => {
      const rows = list.map((code) => [
        ...[code.id, code.code, effect(code), `${code.used} of ${code.limit}`, code.expiresAt, code.tag],
      ]);
      return { json: list, text: table(['ID', 'CODE', 'DOES', 'USED', 'EXPIRES', 'TAG'], rows) };
    },
  }),
  command<Code>('getCode', {
    name: 'code show',
    about: 'Show a code.',
    ...ofCode,
    fields: { codeId: false },
    show: (code) => ({ json: code, text: `${code.url ?? code.code}\n\n${line(code)}` }),
  }),
  command<Code>('updateCode', {
    name: 'code update',
    about: 'Change a code. Only what is given changes.',
    ...ofCode,
    fields: {
      codeId: false,
      limit: { value: 'N', about: 'How many people can use it.' },
      expiresAt: false,
      tag: { value: 'TEXT|none', about: 'Goes to the metadata of everybody who uses it from now on.' },
    },
    flags: { ...EXPIRY_FLAGS, 'no-expiry': { about: 'It never expires.' } },
    input: async (...given) => ({
      ...(await ofCode.input(...given)),
      ...(await expiryInput(given[0], given[1])),
    }),
    show: (code) => ({ json: code, text: `Updated ${line(code)}` }),
  }),
  command<{ id: string }>('deleteCode', {
    name: 'code delete',
    about: 'Delete a code. Who came with it stays.',
    ...ofCode,
    fields: { codeId: false },
    show: (deleted) => ({ json: deleted, text: `Deleted ${deleted.id}.` }),
  }),
  command<Use[]>('listCodeUses', {
    name: 'code uses',
    about: 'List who came with a code.',
    all: 'uses',
    ...ofCode,
    fields: { codeId: false },
    show: (list) => {
      const rows = list.map(({ entry, usedAt, returnedAt }) => [
        ...[entry.email ?? entry.id, entry.status, usedAt, returnedAt],
      ]);
      return { json: list, text: table(['WHO', 'STATUS', 'USED', 'PLACE GIVEN BACK'], rows) };
    },
  }),
];

function effect({ does, places }: Code): string {
  return places === null ? does : `${does} ${places}`;
}

function line(code: Code): string {
  const { id, used, limit, expiresAt, places } = code;
  const what = places === null ? id : `${id}, ${effect(code)}`;
  return `${what}, used ${used} of ${limit}, ${expiresAt ? `expires ${expiresAt}` : 'never expires'}`;
}
