import {
  changeSavedSegment,
  deleteSavedSegment,
  listSavedSegments,
  readSavedSegment,
  saveSegment,
} from '../waitlist/entries/saved-segments.ts';
import { presentSavedSegment } from '../wire/segment.ts';
import { type Command, table } from './command.ts';
import { parseSegment, SEGMENT_FLAGS, STATUS_FLAG } from './entries.ts';
import { QUEUE_FLAGS, queueOf } from './queue.ts';

const { segment: _, ...CONDITION_FLAGS } = SEGMENT_FLAGS;

type Presented = ReturnType<typeof presentSavedSegment>;

export const segments: Command[] = [
  {
    name: 'segment list',
    about: 'List saved segments.',
    flags: QUEUE_FLAGS,
    run: async (context, _, flags) => {
      const saved = await listSavedSegments(context, await queueOf(context, flags));
      const list = saved.map(presentSavedSegment);
      const rows = list.map((each) => [each.id, each.name, conditionsText(each), each.updatedAt]);
      return { json: list, text: table(['ID', 'NAME', 'CONDITIONS', 'CHANGED'], rows) };
    },
  },
  {
    name: 'segment create',
    once: true,
    about: 'Save conditions as a segment, to use with --segment and in the dashboard.',
    operands: ['NAME'],
    flags: { ...QUEUE_FLAGS, ...CONDITION_FLAGS, ...STATUS_FLAG },
    run: async (context, [name = ''], flags) => {
      const queue = await queueOf(context, flags);
      const segment = await parseSegment(context, queue, flags);
      const saved = presentSavedSegment(await saveSegment(context, queue, { name, segment }));
      return { json: saved, text: `Saved ${saved.id}: ${conditionsText(saved)}` };
    },
  },
  {
    name: 'segment rename',
    about: 'Rename a saved segment.',
    operands: ['NAME_OR_ID', 'NEW_NAME'],
    flags: QUEUE_FLAGS,
    run: async (context, [which = '', name = ''], flags) => {
      const queue = await queueOf(context, flags);
      const { id } = await readSavedSegment(context, queue, which);
      const saved = presentSavedSegment(await changeSavedSegment(context, queue, id, { name }));
      return { json: saved, text: `Renamed ${id} to ${saved.name}.` };
    },
  },
  {
    name: 'segment delete',
    about: 'Delete a saved segment. The people in it stay.',
    operands: ['NAME_OR_ID'],
    flags: QUEUE_FLAGS,
    run: async (context, [which = ''], flags) => {
      const queue = await queueOf(context, flags);
      const { id } = await readSavedSegment(context, queue, which);
      await deleteSavedSegment(context, queue, id);
      return { json: { id, deleted: true }, text: `Deleted ${id}.` };
    },
  },
];

function conditionsText({ conditions: { where = [], ...rest } }: Presented): string {
  return [...where, ...Object.entries(rest).map(([name, value]) => `${name}: ${value}`)].join(', ');
}
