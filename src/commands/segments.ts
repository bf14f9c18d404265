import { segments as operations } from '../operations/entries/segments.ts';
import { readSavedSegment } from '../waitlist/entries/saved-segments.ts';
import type { Context } from '../waitlist/queue/context.ts';
import type { presentSavedSegment } from '../wire/segment.ts';
import { type Flags, table } from './command.ts';
import { commandsFor } from './command-of.ts';
import { queueOf } from './queue.ts';
import { SEGMENT_FLAGS, STATUS_FLAG, segmentInput } from './segment-flags.ts';

const { segment: _, ...CONDITION_FLAGS } = SEGMENT_FLAGS;

type Segment = ReturnType<typeof presentSavedSegment>;

const command = commandsFor(operations);
const which = async (flags: Flags, context: Context, [nameOrId = '']: readonly string[]) => ({
  segmentId: (await readSavedSegment(context, await queueOf(context, flags), nameOrId)).id,
});

export const segments = [
  command<{ segments: Segment[] }>('listSegments', {
    name: 'segment list',
    about: 'List saved segments.',
    show: ({ segments }) => {
      const rows = segments.map((each) => [each.id, each.name, conditionsText(each), each.updatedAt]);
      return { json: segments, text: table(['ID', 'NAME', 'CONDITIONS', 'CHANGED'], rows) };
    },
  }),
  command<Segment>('createSegment', {
    name: 'segment create',
    once: true,
    about: 'Save conditions as a segment, to use with --segment and in the dashboard.',
    operands: { NAME: 'name' },
    fields: { conditions: false },
    flags: { ...CONDITION_FLAGS, ...STATUS_FLAG },
    input: async (flags, context) => ({ conditions: await segmentInput(flags, context) }),
    show: (saved) => ({ json: saved, text: `Saved ${saved.id}: ${conditionsText(saved)}` }),
  }),
  command<Segment>('updateSegment', {
    name: 'segment rename',
    about: 'Rename a saved segment.',
    operands: { NAME_OR_ID: false, NEW_NAME: 'name' },
    fields: { segmentId: false, conditions: false },
    input: which,
    show: (saved) => ({ json: saved, text: `Renamed ${saved.id} to ${saved.name}.` }),
  }),
  command<{ id: string }>('deleteSegment', {
    name: 'segment delete',
    about: 'Delete a saved segment. The people in it stay.',
    operands: { NAME_OR_ID: false },
    fields: { segmentId: false },
    input: which,
    show: (deleted) => ({ json: deleted, text: `Deleted ${deleted.id}.` }),
  }),
];

function conditionsText({ conditions: { where = [], ...rest } }: Segment): string {
  return [...where, ...Object.entries(rest).map(([name, value]) => `${name}: ${value}`)].join(', ');
}
