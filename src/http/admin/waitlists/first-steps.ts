import Type, { type Static } from 'typebox';
import { readParts } from '../../../mail/parts.ts';
import { closed, RoleName } from '../../../operations/core/schemas.ts';
import type { Role } from '../../../operators/roles.ts';
import type { Queue } from '../../../waitlist/queue/queue.ts';
import { dismissFirstSteps, firstStepFacts } from '../../../waitlist/settings/first-steps.ts';
import { named, oneOf } from '../../../wire/schema.ts';
import type { TypedApp } from '../../typed-app.ts';
import { adminSchema } from '../core/operation.ts';
import type { AdminParts } from '../core/parts.ts';
import { domainFor, environmentQuery, requireQueue, waitlistParams } from '../core/waitlist-scope.ts';

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

const common = {
  tag,
  params: Type.Object(waitlistParams),
  querystring: Type.Object(environmentQuery, closed),
  answer: { description: 'The steps.', schema: FirstSteps, example: EXAMPLE },
  errors: ['not_found'],
  special: {
    not_found: {
      when: 'The waitlist or the environment does not exist.',
      message: 'there is no waitlist wl_acme',
    },
  },
} as const;

const getSchema = adminSchema({
  ...common,
  operationId: 'getFirstSteps',
  summary: 'Get the first steps',
  description: 'Returns what is left to do with a new waitlist, as far as the server can tell.',
  role: 'viewer',
});

const dismissSchema = adminSchema({
  ...common,
  operationId: 'dismissFirstSteps',
  harmless: 'same again',
  write: true,
  summary: 'Dismiss the first steps',
  description: 'The dashboard no longer shows them for this waitlist, to anyone and in any environment.',
  role: 'admin',
});

export function registerFirstSteps(app: TypedApp, parts: AdminParts): void {
  const path = '/waitlists/:waitlistId/first-steps';
  app.get(path, { schema: getSchema }, async ({ params, query }) =>
    readSteps(parts, await requireQueue(parts, params, query)),
  );

  app.post(`${path}/dismiss`, { schema: dismissSchema }, async (request) => {
    const queue = await requireQueue(parts, request.params, request.query);
    await dismissFirstSteps(domainFor(parts, request), queue.waitlist.id);
    return readSteps(parts, queue);
  });
}

async function readSteps(
  { waitlists, emails }: AdminParts,
  queue: Queue,
): Promise<Static<typeof FirstSteps>> {
  const [{ dismissed, ...facts }, mails] = await Promise.all([
    firstStepFacts(waitlists, queue),
    readParts(waitlists, queue.waitlist.internalId),
  ]);
  const { colour, logoUrl } = mails.settings;
  const look = colour !== null || logoUrl !== null || Object.keys(mails.templates).length > 0;
  const done = { ...facts, mail_server: emails.smtp, look };
  return { dismissed, steps: STEPS.map((step) => ({ step, done: done[step], role: ROLES[step] })) };
}
