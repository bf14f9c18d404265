import Type from 'typebox';
import { checkHealth } from '../../../waitlist/upkeep/health.ts';
import { named } from '../../../wire/schema.ts';
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
          detail: Type.String({ description: 'What was found, in words.' }),
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
        { what: 'database', ok: true, detail: 'sqlite, schema version 16, 48.2 MiB' },
        { what: 'webhooks', ok: true, detail: '12 pending' },
        { what: 'emails', ok: true, detail: 'none' },
        { what: 'unfinished jobs', ok: true, detail: 'none' },
      ],
    },
  },
});

export function registerHealthCheck(app: TypedApp, { waitlists }: AdminParts): void {
  app.get('/health', { schema }, async () => {
    const findings = await checkHealth(waitlists);
    return { healthy: findings.every(({ ok }) => ok), findings };
  });
}
