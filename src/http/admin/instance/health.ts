import Type from 'typebox';
import { checkSending } from '../../../mail/check-sending.ts';
import { checkHealth, type Finding } from '../../../waitlist/upkeep/health.ts';
import { checkEndpoints } from '../../../webhooks/failing-endpoints.ts';
import { named, oneOf } from '../../../wire/schema.ts';
import type { TypedApp } from '../../typed-app.ts';
import { adminSchema } from '../core/operation.ts';
import type { AdminParts } from '../core/parts.ts';

const Health = Type.Object(
  {
    healthy: Type.Boolean({ description: 'Whether everything is fine.' }),
    findings: Type.Array(
      Type.Object(
        {
          what: Type.String({ description: 'What was checked, such as `database` or `emails`.' }),
          ok: Type.Boolean({ description: 'Whether it is fine.' }),
          level: oneOf(['fine', 'warning', 'problem'] as const, {
            description: '`warning` if others have to act, such as the owner of a failing endpoint.',
          }),
          detail: Type.String({ description: 'What was found, in words.' }),
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

const schema = adminSchema({
  operationId: 'getHealth',
  tag: 'Instance',
  summary: 'Check the installation',
  description:
    'Checks the database, the disk, deliveries and jobs, as `status` does on the command line. Large numbers of ' +
    'deliveries are estimated.',
  role: 'support',
  answer: {
    description: 'What was found.',
    schema: Health,
    example: {
      healthy: true,
      findings: [
        { what: 'database', ok: true, level: 'fine', detail: 'sqlite, schema version 16, 48.2 MiB' },
        { what: 'webhooks', ok: true, level: 'fine', detail: '12 pending' },
        { what: 'emails', ok: true, level: 'fine', detail: 'none' },
        { what: 'unfinished jobs', ok: true, level: 'fine', detail: 'none' },
      ],
    },
  },
});

export function registerHealthCheck(app: TypedApp, { waitlists }: AdminParts): void {
  app.get('/health', { schema }, async () => {
    const findings = [
      ...(await checkHealth(waitlists)).map(presentFinding),
      ...(await checkSending(waitlists)).map(presentFinding),
      ...(await checkEndpoints(waitlists)).map((finding) => ({ ...finding, level: 'warning' as const })),
    ];
    return { healthy: findings.every(({ ok }) => ok), findings };
  });
}

function presentFinding({ what, ok, detail }: Finding) {
  return { what, ok, level: ok ? ('fine' as const) : ('problem' as const), detail };
}
