import Type, { type Static } from 'typebox';
import type { Context } from '../../waitlist/queue/context.ts';
import type { Queue } from '../../waitlist/queue/queue.ts';
import { type PlanFields, QUOTAS_MAX } from '../../waitlist/waves/plan.ts';
import { limits, named, withExamples } from '../../wire/schema.ts';
import { EXAMPLE_SCHEDULE, objectOrNull, waveFields } from '../../wire/wave.ts';
import { closed } from '../core/schemas.ts';
import { SegmentInput, segmentOfBody } from '../core/segments.ts';

const { name, ...fields } = waveFields;
const optional = {
  ...Type.Partial(Type.Object(fields)).properties,
  segment: Type.Optional(
    objectOrNull(
      SegmentInput,
      'Only people who meet these conditions. A saved segment is used as it is now.',
    ),
  ),
  quotas: Type.Optional(
    Type.Array(
      Type.Object(
        {
          percent: Type.Integer({
            ...limits({ minimum: 1, maximum: 100 }),
            description: 'Part of the invites.',
          }),
          segment: SegmentInput,
        },
        { ...closed, description: 'A part of the invites for the people of a segment.' },
      ),
      {
        ...limits({ maxItems: QUOTAS_MAX }),
        description:
          'How invites are divided, instead of `segment`. A person belongs to the first segment that matches. What is left of 100 % is for everyone else.',
      },
    ),
  ),
};

export const WaveRequest = Type.Object(
  {
    name,
    ...optional,
    dryRun: Type.Optional(Type.Boolean({ description: 'Only say what the wave would do.' })),
  },
  {
    ...named('WaveRequest'),
    ...closed,
    description: 'A wave to create: with a `schedule`, or with `keepOpen`.',
    ...withExamples({
      weekdays: {
        summary: '500 each weekday, until 10,000 have joined',
        value: { name: 'Weekday mornings', count: 500, schedule: EXAMPLE_SCHEDULE, untilJoined: 10_000 },
      },
      open: { summary: 'Keep 200 invites open', value: { name: 'Trickle', keepOpen: 200 } },
      once: {
        summary: 'A segment, once',
        value: {
          name: 'Launch day',
          schedule: { timeZone: 'Europe/Berlin', time: '09:00', repeat: 'once', date: '2030-12-01' },
          segment: { where: { plan: 'pro' } },
        },
      },
      quotas: {
        summary: 'Divided by quotas',
        value: {
          name: 'Mixed',
          count: 100,
          schedule: EXAMPLE_SCHEDULE,
          quotas: [{ percent: 70, segment: { where: { plan: 'pro' } } }],
        },
      },
    }),
  },
);

export const WaveChange = Type.Object(
  {
    paused: Type.Optional(
      Type.Boolean({
        description: '`true` pauses it after its current batch, `false` lets it go on.',
      }),
    ),
    name: Type.Optional(name),
    ...optional,
  },
  {
    ...named('WaveChange'),
    ...closed,
    ...limits({ minProperties: 1 }),
    description: 'What to change. What you omit stays as it is.',
    ...withExamples({
      pause: { summary: 'Pause it', value: { paused: true } },
      more: { summary: 'Invite more in each run', value: { count: 800 } },
    }),
  },
);

type Body = Omit<Static<typeof WaveChange>, 'paused' | 'name'>;

/** The plan of a body, with saved segments resolved. */
export async function planFieldsOf(
  context: Context,
  queue: Queue,
  { segment, quotas, ...rest }: Body,
): Promise<PlanFields> {
  return {
    ...rest,
    ...(segment === undefined ? {} : { segment: segment && (await segmentOfBody(context, queue, segment)) }),
    ...(quotas === undefined
      ? {}
      : {
          quotas: await Promise.all(
            quotas.map(async ({ percent, segment }, index) => ({
              percent,
              segment: await segmentOfBody(context, queue, segment, `quotas[${index}].segment`),
            })),
          ),
        }),
  };
}
