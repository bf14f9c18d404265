import Type from 'typebox';
import { isoTime } from '../../lib/time.ts';
import {
  createEnvironment,
  type Environment,
  listEnvironments,
} from '../../waitlist/settings/environments.ts';
import { limits, named, time, withExamples } from '../../wire/schema.ts';
import { operation } from '../core/operation.ts';
import { closed } from '../core/schemas.ts';

const tag = 'Environments';

const name = Type.String({
  ...limits({ pattern: '^[a-z][a-z0-9-]{0,31}$', maxLength: 32 }),
  description: 'Name of the environment. Use it as the query parameter `environment`.',
});

const EnvironmentObject = Type.Object(
  { name, createdAt: time('When the environment was created.') },
  { ...named('Environment'), description: 'A separate partition of every waitlist.' },
);

const EXAMPLE = { name: 'production', createdAt: '2026-11-15T09:30:00.000Z' };

const EnvironmentList = Type.Object(
  {
    environments: Type.Array(EnvironmentObject, { description: 'In the order in which they were created.' }),
  },
  { ...named('EnvironmentList'), description: 'All environments.' },
);

const EnvironmentRequest = Type.Object(
  { name },
  {
    ...named('EnvironmentRequest'),
    ...closed,
    description: 'An environment to create.',
    ...withExamples({ staging: { summary: 'An environment for staging', value: { name: 'staging' } } }),
  },
);

export const environments = [
  operation({
    id: 'listEnvironments',
    at: 'GET /environments',
    tag,
    summary: 'List environments',
    description: 'Returns all environments. `production` and `development` always exist.',
    role: 'viewer',
    scope: 'installation',
    answer: {
      description: 'The environments.',
      schema: EnvironmentList,
      example: { environments: [EXAMPLE] },
    },
    run: async ({ context }) => ({ environments: (await listEnvironments(context)).map(present) }),
  }),
  operation({
    id: 'createEnvironment',
    at: 'POST /environments',
    tag,
    summary: 'Create an environment',
    description: 'Adds the environment to every waitlist. It cannot be renamed or deleted.',
    role: 'admin',
    scope: 'installation',
    body: EnvironmentRequest,
    answer: {
      status: 201,
      description: 'The environment was created.',
      schema: EnvironmentObject,
      example: { ...EXAMPLE, name: 'staging' },
    },
    errors: {
      invalid_request: {
        message: 'name: must be 1 to 32 characters of a-z, 0-9 and -, starting with a letter',
      },
      conflict: { when: 'The environment exists already.', message: 'name: staging already exists' },
    },
    run: async ({ context, body }) => present(await createEnvironment(context, body.name)),
  }),
];

function present({ name, createdAt }: Environment) {
  return { name, createdAt: isoTime(createdAt) };
}
