import { decisions as operations } from '../operations/entries/decisions.ts';
import { DECIDING, readNote, VERBS, type Verb } from '../waitlist/decisions/decide.ts';
import {
  type Deciding,
  decideMany,
  previewDecision,
  requireDecline,
  requireStatus,
  usualStatus,
} from '../waitlist/decisions/decide-many.ts';
import type { PresentedEntry } from '../wire/entry.ts';
import { type Command, textOr, UsageProblem } from './command.ts';
import { commandsFor } from './command-of.ts';
import { entryTable } from './entries.ts';
import { entryIdOf } from './entry-id.ts';
import { QUEUE_FLAGS, queueOf } from './queue.ts';
import { parseSegment, SEGMENT_FLAGS, STATUS_FLAG } from './segment-flags.ts';

const ABOUT: Record<Verb, string> = {
  approve: 'Approve somebody who waits, is pending or was declined, which invites them.',
  decline: 'Decline somebody: kept without a place in the queue, and not told unless you say so.',
  reconsider: 'Take a decline back.',
};
const NOTE = { value: 'TEXT', about: 'A note for the team, shown in the history of the entry.' };

/** Not `--email`, which looks as if an address followed. */
const SEND_EMAIL = { about: 'Tell them by email, of the kind declined, which has to be on.', field: 'email' };

const command = commandsFor(operations);

export const decisions: Command[] = [
  ...VERBS.map((verb) =>
    command<PresentedEntry>(`${verb}Entry`, {
      name: `entry ${verb}`,
      once: true,
      about: ABOUT[verb],
      operands: { WHO: false },
      fields: {
        entryId: false,
        note: NOTE,
        email: { flag: 'send-email', alone: true, ...SEND_EMAIL },
      },
      input: async (flags, context, [who = '']) => ({
        entryId: await entryIdOf(context, await queueOf(context, flags), who),
      }),
      show: (entry) => ({ json: entry, text: entryTable([entry]) }),
    }),
  ),
  {
    name: 'entry decide',
    once: 'job',
    operations: ['decideEntries'],
    about: 'Approve, decline or reconsider everybody who matches the conditions.',
    operands: ['DECISION'],
    flags: {
      ...QUEUE_FLAGS,
      ...SEGMENT_FLAGS,
      ...STATUS_FLAG,
      note: NOTE,
      'send-email': SEND_EMAIL,
      'dry-run': { about: 'Only count them.' },
    },
    run: async (context, [given = ''], flags) => {
      const verb = VERBS.find((each) => each === given);
      if (!verb) throw new UsageProblem(`DECISION must be one of ${VERBS.join(', ')}`);
      const queue = await queueOf(context, flags);
      const segment = await parseSegment(context, queue, flags);
      if (Object.keys(segment).length === 0)
        throw new UsageProblem('at least one condition is required, such as --where plan=pro');
      const { status = usualStatus(verb) } = segment;
      requireStatus(verb, status);
      const email = flags['send-email'] === true ? true : undefined;
      requireDecline(verb, email);
      const deciding: Deciding = { verb, who: { segment: { ...segment, status } } };
      const { done } = DECIDING[verb];
      if (flags['dry-run'] === true) {
        const { count } = await previewDecision(context, queue, deciding);
        return { json: { count }, text: `${people(count)} would be ${done}.` };
      }
      const note = readNote(textOr(flags, 'note', undefined));
      const { decided, unreadable } = await decideMany(context, queue, { ...deciding, note, email });
      const left =
        unreadable > 0 ? ` Skipped: ${people(unreadable)} who cannot be decrypted (run \`doctor\`).` : '';
      return { json: { decided, unreadable }, text: `${people(decided)} ${done}.${left}` };
    },
  },
];

function people(count: number): string {
  return `${count} ${count === 1 ? 'person' : 'people'}`;
}
