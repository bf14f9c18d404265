import Type, { type Static } from 'typebox';
import type { AnyFinding } from '../../installation/health.ts';
import { setConfirmation } from '../../waitlist/upkeep/confirmations.ts';
import { LEVELS, levelOf } from '../../waitlist/upkeep/health.ts';
import { named, oneOf, withExamples } from '../../wire/schema.ts';
import { operation } from '../core/operation.ts';
import type { OperationParts } from '../core/parts.ts';
import { closed } from '../core/schemas.ts';

const Health = Type.Object(
  {
    healthy: Type.Boolean({ description: 'Whether everything works: no finding has `ok: false`.' }),
    findings: Type.Array(
      Type.Object(
        {
          what: Type.String({ description: 'What was checked, such as `database` or `emails`.' }),
          ok: Type.Boolean({ description: '`false` if something does not work now.' }),
          level: oneOf(LEVELS, {
            description:
              '`problem`: something does not work. `warning`: something is at risk, or others have to act, such as the owner of a ' +
              'failing endpoint. `unchecked`: nothing is known to be wrong, but nothing was checked either.',
          }),
          detail: Type.String({ description: 'What was found, in words.' }),
          link: Type.Optional(Type.String({ description: 'Where to mend it: a path of the dashboard.' })),
          endpoint: Type.Optional(
            Type.Object(
              {
                id: Type.String({ description: 'Id of the endpoint.' }),
                waitlistId: Type.String({ description: 'Its waitlist.' }),
                environment: Type.String({ description: 'Its environment.' }),
              },
              { description: 'The webhook endpoint that it is about.' },
            ),
          ),
        },
        { ...named('Finding'), description: 'The result of one check.' },
      ),
      { description: 'One for each check.' },
    ),
  },
  { ...named('Health'), description: 'The state of the installation.' },
);

const EXAMPLE: Static<typeof Health> = {
  healthy: true,
  findings: [
    { what: 'database', ok: true, level: 'fine', detail: 'sqlite, schema version 37, 48.2 MiB' },
    { what: 'backup', ok: true, level: 'warning', detail: 'last made 12 days ago' },
    { what: 'webhooks', ok: true, level: 'fine', detail: '12 pending' },
    { what: 'emails', ok: true, level: 'fine', detail: 'none pending or failed' },
    { what: 'unfinished jobs', ok: true, level: 'fine', detail: 'none' },
  ],
};

const CONFIRMABLE = ['backup', 'master key'] as const;

const Confirmation = Type.Object(
  {
    check: oneOf(CONFIRMABLE, { description: 'The check that it is about.' }),
    confirmed: Type.Boolean({ description: '`false` takes an earlier confirmation back.' }),
  },
  {
    ...named('HealthConfirmation'),
    ...closed,
    description: 'What only operators know.',
    ...withExamples({
      key: {
        summary: 'A copy of the master key is kept',
        value: { check: 'master key', confirmed: true },
      },
    }),
  },
);

export const health = [
  operation({
    id: 'getHealth',
    at: 'GET /health',
    tag: 'Instance',
    summary: 'Check the installation',
    description:
      'Checks the database, the disk, the master key, backups, the mail server, deliveries and jobs, as `status` does on ' +
      'the command line. Large numbers of deliveries are estimated.',
    role: 'support',
    scope: 'installation',
    answer: { description: 'What was found.', schema: Health, example: EXAMPLE },
    run: ({ parts }) => check(parts),
  }),
  operation({
    id: 'confirmHealth',
    at: 'PUT /health/confirmations',
    tag: 'Instance',
    summary: 'Confirm what cannot be checked',
    description:
      'Confirms that a copy of the master key is kept in a safe place, or that backups are made in another way than with ' +
      '`backup`. A confirmation about the master key ends when the key is rotated.',
    role: 'admin',
    scope: 'installation',
    body: Confirmation,
    answer: { description: 'What was found.', schema: Health, example: EXAMPLE },
    errors: { invalid_request: { message: 'check: must be one of backup, master key' } },
    run: async ({ context, parts, body }) => {
      await setConfirmation(context, body.check, body.confirmed);
      return check(parts);
    },
  }),
];

async function check({ checkHealth }: OperationParts): Promise<Static<typeof Health>> {
  const findings = (await checkHealth()).map(presentFinding);
  return { healthy: findings.every(({ ok }) => ok), findings };
}

function presentFinding(finding: AnyFinding): Static<typeof Health>['findings'][number] {
  const { what, ok, detail, link, endpoint } = finding;
  return {
    ...{ what, ok, level: levelOf(finding), detail },
    ...(link === undefined ? {} : { link }),
    ...(endpoint === undefined ? {} : { endpoint }),
  };
}
