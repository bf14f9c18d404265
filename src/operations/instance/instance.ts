import Type, { type Static } from 'typebox';
import { inline, type OwnCommands } from '../../installation/own-commands.ts';
import { VERSION } from '../../lib/root.ts';
import { isoTime } from '../../lib/time.ts';
import { countOperators } from '../../operators/operators.ts';
import type { Actor } from '../../operators/roles.ts';
import { mayActAs } from '../../operators/roles.ts';
import type { Context } from '../../waitlist/queue/context.ts';
import { readInstance, updateInstance } from '../../waitlist/settings/instance-settings.ts';
import { named, nullable, oneOf, time, WORD, withExamples } from '../../wire/schema.ts';
import { operation } from '../core/operation.ts';
import type { OperationParts } from '../core/parts.ts';
import { closed } from '../core/schemas.ts';

const tag = 'Instance';

const settings = {
  defaultTimeZone: Type.String({
    ...WORD,
    description:
      'IANA name of the time zone for charts and for days in the filters of the dashboard, such as `Europe/Berlin`.',
  }),
};

const InstanceObject = Type.Object(
  {
    version: Type.String({ description: 'Version of Doorlist.' }),
    engine: oneOf(['sqlite', 'postgres'] as const, { description: 'Database engine.' }),
    publicUrl: Type.String({ format: 'uri', description: 'Address in links. Set by `DOORLIST_PUBLIC_URL`.' }),
    emails: Type.Object(
      {
        from: Type.String({ description: 'Default sender. Set by `DOORLIST_MAIL_FROM`.' }),
        smtp: oneOf(['configured', 'none'] as const, {
          description: '`none`: emails are kept in the mailbox and not sent.',
        }),
      },
      { description: 'How emails are sent.' },
    ),
    counts: Type.Object(
      {
        waitlists: Type.Integer({ minimum: 0, description: 'Number of waitlists.' }),
        operators: Type.Integer({ minimum: 0, description: 'Number of operators.' }),
      },
      { description: 'What there is.' },
    ),
    workers: Type.Union(
      [
        Type.Array(
          Type.Object({
            name: Type.String({ description: 'Host and port.' }),
            queues: Type.Integer({ minimum: 0, description: 'Queues that are on it.' }),
            isUp: Type.Boolean({ description: 'Whether it answers. If not, its queues cannot be used.' }),
          }),
        ),
        Type.Null(),
      ],
      { description: 'The workers of a Citus cluster. `null` if the queues are not spread over one.' },
    ),
    commands: Type.Union(
      [
        Type.Object({
          run: Type.String({
            description:
              'What comes before the words of a command, in a terminal of the machine that the server runs on.',
          }),
          start: nullable<string>('string', {
            description:
              'How the server is started, with what is known of its variables. `null` for a container.',
          }),
          secrets: Type.Array(Type.String(), {
            description:
              'Variables that must be set as well. They are secret, so that `run` has none of them.',
          }),
        }),
        Type.Null(),
      ],
      { description: 'How the command line of this installation is run. `null` for roles below `admin`.' },
    ),
    ...settings,
    createdAt: time('When the installation was created.'),
  },
  { ...named('Instance'), description: 'This installation.' },
);

const EXAMPLE: Static<typeof InstanceObject> = {
  version: '0.1.0',
  engine: 'sqlite',
  publicUrl: 'https://waitlist.example.com',
  emails: { from: 'hello@example.com', smtp: 'configured' },
  counts: { waitlists: 2, operators: 3 },
  workers: null,
  commands: {
    run: 'DOORLIST_DATA_DIR=/var/lib/doorlist doorlist',
    start: 'DOORLIST_DATA_DIR=/var/lib/doorlist PORT=4000 doorlist serve',
    secrets: [],
  },
  defaultTimeZone: 'Europe/Berlin',
  createdAt: '2026-11-15T09:30:00.000Z',
};

const InstanceUpdate = Type.Object(Type.Partial(Type.Object(settings)).properties, {
  ...named('InstanceUpdate'),
  ...closed,
  description: 'Settings to change.',
  ...withExamples({
    zone: { summary: 'Charts in the time of Berlin', value: { defaultTimeZone: 'Europe/Berlin' } },
  }),
});

export const instance = [
  operation({
    id: 'getInstance',
    showsSettings: true,
    at: 'GET /instance',
    tag,
    summary: 'Get the installation',
    description: 'Returns the version, the settings and what there is.',
    role: 'viewer',
    scope: 'installation',
    answer: { description: 'The installation.', schema: InstanceObject, example: EXAMPLE },
    run: present,
  }),
  operation({
    id: 'updateInstance',
    settings: { lock: 'installation' },
    at: 'PATCH /instance',
    tag,
    summary: 'Update the installation',
    description:
      'Changes settings of the installation. Everything else is set by variables when a server starts.',
    role: 'admin',
    scope: 'installation',
    body: InstanceUpdate,
    answer: { description: 'The installation.', schema: InstanceObject, example: EXAMPLE },
    errors: {
      invalid_request: {
        message: 'defaultTimeZone: must be the IANA name of a time zone, such as Europe/Berlin',
      },
    },
    run: async (call) => {
      await updateInstance(call.context, call.body);
      return present(call);
    },
  }),
];

interface Asked {
  context: Context;
  parts: OperationParts;
  actor: Actor;
}

async function present({ context, parts, actor }: Asked): Promise<Static<typeof InstanceObject>> {
  const { publicUrl, emails, commands } = parts;
  const { createdAt, waitlists, defaultTimeZone } = await readInstance(context);
  return {
    version: VERSION,
    engine: context.db.engine,
    publicUrl,
    emails: { from: emails.from, smtp: emails.smtp ? 'configured' : 'none' },
    counts: { waitlists, operators: await countOperators(parts.context) },
    workers: await context.db.clusterWorkers(),
    commands: mayActAs(actor.role, 'admin') ? presentCommands(commands) : null,
    defaultTimeZone,
    createdAt: isoTime(createdAt),
  };
}

function presentCommands({ variables, command, start, secrets }: OwnCommands) {
  return { run: inline(variables, command), start, secrets };
}
