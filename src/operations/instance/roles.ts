import Type, { type Static } from 'typebox';
import {
  DUTIES,
  DUTY_WORDS,
  type DutiesOfSupport,
  type Duty,
  readDuties,
  updateDuties,
} from '../../operators/duties.ts';
import { named, withExamples } from '../../wire/schema.ts';
import { operation } from '../core/operation.ts';
import { closed } from '../core/schemas.ts';

const tag = 'Instance';

const duties = Object.fromEntries(
  DUTIES.map((duty) => [duty, Type.Boolean({ description: `Whether support may ${DUTY_WORDS[duty]}.` })]),
) as Record<Duty, ReturnType<typeof Type.Boolean>>;

const Roles = Type.Object(
  {
    support: Type.Object(duties, {
      description: 'What support may do besides seeing and inviting people. All of it is on by default.',
    }),
  },
  { ...named('Roles'), description: 'What the owner lets roles do.' },
);

const EXAMPLE: Static<typeof Roles> = {
  support: Object.fromEntries(DUTIES.map((duty) => [duty, duty !== 'repair'])) as DutiesOfSupport,
};

const RolesUpdate = Type.Object(
  {
    support: Type.Object(Type.Partial(Type.Object(duties)).properties, {
      ...closed,
      description: 'What to turn on or off. What is left out stays as it is.',
    }),
  },
  {
    ...named('RolesUpdate'),
    ...closed,
    description: 'What to change.',
    ...withExamples({
      repair: { summary: 'Only admins correct what is stored', value: { support: { repair: false } } },
    }),
  },
);

export const roles = [
  operation({
    id: 'getRoles',
    showsSettings: true,
    at: 'GET /instance/roles',
    tag,
    summary: 'Get what roles may do',
    description: 'Returns what the owner lets support do. `GET /me` says what the caller may do.',
    role: 'viewer',
    scope: 'installation',
    answer: { description: 'What roles may do.', schema: Roles, example: EXAMPLE },
    run: async ({ context }) => ({ support: await readDuties(context.db.query) }),
  }),
  operation({
    id: 'updateRoles',
    settings: { lock: 'installation' },
    at: 'PATCH /instance/roles',
    tag,
    summary: 'Update what roles may do',
    description:
      'Changes what support may do, for people and tokens alike. It applies to the next request. Admins can always do all of it, and viewers never.',
    role: 'owner',
    scope: 'installation',
    body: RolesUpdate,
    answer: { description: 'What roles may do.', schema: Roles, example: EXAMPLE },
    errors: { invalid_request: { message: 'support: names nothing to change' } },
    run: async ({ context, body }) => ({ support: await updateDuties(context, body.support) }),
  }),
];
