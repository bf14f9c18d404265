import Type, { type Static } from 'typebox';
import { readParts } from '../../mail/parts.ts';
import type { Role } from '../../operators/roles.ts';
import type { Context } from '../../waitlist/queue/context.ts';
import type { Queue } from '../../waitlist/queue/queue.ts';
import { dismissFirstSteps, firstStepFacts } from '../../waitlist/settings/first-steps.ts';
import { named, oneOf } from '../../wire/schema.ts';
import { operation } from '../core/operation.ts';
import type { OperationParts } from '../core/parts.ts';
import { RoleName } from '../core/schemas.ts';

const tag = 'Waitlists';
const STEPS = ['signups', 'person', 'mail_server', 'look', 'invite'] as const;
type Step = (typeof STEPS)[number];

/** Who may do them. The mail server is set up by whoever runs the installation. */
const ROLES: Readonly<Record<Step, Role>> = {
  signups: 'admin',
  person: 'support',
  mail_server: 'admin',
  look: 'admin',
  invite: 'support',
};

const FirstSteps = Type.Object(
  {
    dismissed: Type.Boolean({ description: 'Whether the dashboard no longer shows the steps.' }),
    steps: Type.Array(
      Type.Object(
        {
          step: oneOf(STEPS, {
            description:
              '`signups`: the form is on, or there is a key that works. `person`: somebody is or was on the waitlist. ' +
              '`mail_server`: the installation has one. `look`: there is a logo, a color or an own template. ' +
              '`invite`: somebody was invited.',
          }),
          done: Type.Boolean({ description: 'Whether it is done.' }),
          role: RoleName,
        },
        { ...named('FirstStep'), description: 'A step, and the lowest role that can do it.' },
      ),
      { description: 'In the order in which they are best done.' },
    ),
  },
  { ...named('FirstSteps'), description: 'How far a waitlist is set up.' },
);

const EXAMPLE: Static<typeof FirstSteps> = {
  dismissed: false,
  steps: STEPS.map((step) => ({ step, done: step === 'signups', role: ROLES[step] })),
};

const path = '/waitlists/:waitlistId/first-steps';
const answer = { description: 'The steps.', schema: FirstSteps, example: EXAMPLE };

export const firstSteps = [
  operation({
    id: 'getFirstSteps',
    at: `GET ${path}`,
    tag,
    summary: 'Get the first steps',
    description: 'Returns what is left to do with a new waitlist, as far as the server can tell.',
    role: 'viewer',
    scope: 'queue',
    answer,
    run: ({ context, parts, queue }) => readSteps(context, parts, queue),
  }),
  operation({
    id: 'dismissFirstSteps',
    harmless: 'same again',
    at: `POST ${path}/dismiss`,
    tag,
    summary: 'Dismiss the first steps',
    description: 'The dashboard no longer shows them for this waitlist, to anyone and in any environment.',
    role: 'admin',
    scope: 'queue',
    answer,
    run: async ({ context, parts, queue }) => {
      await dismissFirstSteps(context, queue.waitlist.id);
      return readSteps(context, parts, queue);
    },
  }),
];

async function readSteps(
  context: Context,
  { emails }: OperationParts,
  queue: Queue,
): Promise<Static<typeof FirstSteps>> {
  const [{ dismissed, ...facts }, mails] = await Promise.all([
    firstStepFacts(context, queue),
    readParts(context, queue.waitlist.internalId),
  ]);
  const { colour, logoUrl } = mails.settings;
  const look = colour !== null || logoUrl !== null || Object.keys(mails.templates).length > 0;
  const done = { ...facts, mail_server: emails.smtp, look };
  return { dismissed, steps: STEPS.map((step) => ({ step, done: done[step], role: ROLES[step] })) };
}
