import { erasureRequests as operations } from '../operations/entries/erasure-requests.ts';
import type { PresentedEntry } from '../wire/entry.ts';
import { type Command, table } from './command.ts';
import { commandsFor } from './command-of.ts';
import { entryIdOf } from './entry-id.ts';
import { queueOf } from './queue.ts';

interface Request {
  id: string;
  entry: PresentedEntry;
  reason: string | null;
  askedBy: string | null;
  createdAt: string;
  decision: string | null;
}

const command = commandsFor(operations);

export const erasureRequests: Command[] = [
  command<Request>('requestErasure', {
    name: 'erasure request',
    once: true,
    about: 'Ask the admins to erase a person for good.',
    operands: { WHO: false },
    fields: { entryId: false },
    input: async (flags, context, [who = '']) => ({
      entryId: await entryIdOf(context, await queueOf(context, flags), who),
    }),
    show: (request) => ({ json: request, text: `Asked to erase ${request.entry.id}: ${request.id}.` }),
  }),
  command<Request[]>('listErasureRequests', {
    name: 'erasure list',
    about: 'List the erasures that were asked for.',
    all: 'requests',
    fields: { state: { about: 'Only these.' }, entry: false },
    show: (requests) => {
      const rows = requests.map(({ id, entry, reason, askedBy, createdAt, decision }) => [
        ...[id, entry.email ?? entry.phone ?? entry.id, decision ?? 'open', askedBy, createdAt, reason],
      ]);
      const headings = ['ID', 'WHO', 'STATE', 'ASKED BY', 'ASKED', 'REASON'];
      return { json: requests, text: table(headings, rows) };
    },
  }),
  command<Request>('confirmErasure', {
    name: 'erasure confirm',
    once: true,
    about: 'Erase the person that a request is about. This cannot be undone.',
    show: (request) => ({ json: request, text: `Erased ${request.entry.id}.` }),
  }),
  command<Request>('refuseErasure', {
    name: 'erasure refuse',
    once: true,
    about: 'Refuse to erase the person that a request is about.',
    show: (request) => ({ json: request, text: `Refused ${request.id}. The person stays as they are.` }),
  }),
];
