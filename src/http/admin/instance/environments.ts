import Type from 'typebox';
import { isoTime } from '../../../lib/time.ts';
import { closed } from '../../../operations/core/schemas.ts';
import {
  createEnvironment,
  type Environment,
  listEnvironments,
} from '../../../waitlist/settings/environments.ts';
import { limits, named, time, withExamples } from '../../../wire/schema.ts';
import type { TypedApp } from '../../typed-app.ts';
import { adminSchema } from '../core/operation.ts';
import type { AdminParts } from '../core/parts.ts';
import { domainFor } from '../core/waitlist-scope.ts';

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

const listSchema = adminSchema({
  operationId: 'listEnvironments',
  tag,
  summary: 'List environments',
  description: 'Returns all environments. `production` and `development` always exist.',
  role: 'viewer',
  answer: { description: 'The environments.', schema: EnvironmentList, example: { environments: [EXAMPLE] } },
});

const createSchema = adminSchema({
  operationId: 'createEnvironment',
  tag,
  summary: 'Create an environment',
  description: 'Adds the environment to every waitlist. It cannot be renamed or deleted.',
  role: 'admin',
  body: EnvironmentRequest,
  answer: {
    status: 201,
    description: 'The environment was created.',
    schema: EnvironmentObject,
    example: { ...EXAMPLE, name: 'staging' },
  },
  errors: ['conflict'],
  special: {
    invalid_request: {
      message: 'name: must be 1 to 32 characters of a-z, 0-9 and -, starting with a letter',
    },
    conflict: { when: 'The environment exists already.', message: 'name: staging already exists' },
  },
});

export function registerEnvironments(app: TypedApp, parts: AdminParts): void {
  app.get('/environments', { schema: listSchema }, async () => ({
    environments: (await listEnvironments(parts.waitlists)).map(present),
  }));

  app.post('/environments', { schema: createSchema }, async (request, reply) => {
    const created = await createEnvironment(domainFor(parts, request), request.body.name);
    reply.code(201);
    return present(created);
  });
}

function present({ name: called, createdAt }: Environment) {
  return { name: called, createdAt: isoTime(createdAt) };
}
