import Type, { type Static, type TObject } from 'typebox';
import { isoTime, isoTimeOrNull } from '../lib/time.ts';
import { type Forecast, SAMPLE_MIN, UPCOMING_MAX } from '../waitlist/waves/forecast.ts';
import {
  COUNT_MAX,
  NEW_PLAN,
  QUOTAS_MAX,
  usesMetadata,
  WAVE_NAME_CHARACTERS_MAX,
  type WavePlan,
} from '../waitlist/waves/plan.ts';
import { REPEATS, type Schedule, WEEKDAYS } from '../waitlist/waves/schedule.ts';
import { RUNS_SHOWN, WAVE_STATES, type Wave, type WaveRun } from '../waitlist/waves/waves.ts';
import type { Mask } from './mask.ts';
import { arrayOrNull, idPattern, limits, named, nullable, oneOf, time, timeOrNull, WORD } from './schema.ts';
import { presentConditions, SegmentConditions } from './segment.ts';

const closed = { additionalProperties: false };

/** An object in a place where there may be none. */
export function objectOrNull<T extends TObject>(schema: T, description: string) {
  const { 'x-name': _, ...plain } = schema as T & { 'x-name'?: string };
  return Type.Unsafe<Static<T> | null>({ ...plain, type: ['object', 'null'], description });
}

export const ScheduleSchema = Type.Object(
  {
    timeZone: Type.String({
      ...WORD,
      description: 'IANA time zone that `time` and days are in.',
      examples: ['Europe/Berlin'],
    }),
    time: Type.String({
      ...limits({ pattern: '^\\d\\d:\\d\\d$', maxLength: 5 }),
      description: 'Time of day: `09:00`.',
    }),
    repeat: oneOf(REPEATS, { description: 'How often it runs.' }),
    date: Type.Optional(
      Type.String({
        ...limits({ format: 'date', maxLength: 10 }),
        description: 'The day, for `once`. Otherwise the first possible day.',
      }),
    ),
    days: Type.Optional(
      Type.Array(oneOf(WEEKDAYS, { description: 'A day of the week.' }), {
        maxItems: WEEKDAYS.length,
        description: 'Days of the week, for `weekly`.',
      }),
    ),
    dayOfMonth: Type.Optional(
      Type.Integer({
        ...limits({ minimum: 1, maximum: 31 }),
        description: 'Day of the month, for `monthly`. Shorter months run on their last day.',
      }),
    ),
  },
  { ...named('WaveSchedule'), ...closed, description: 'When a wave runs, by the clocks of a time zone.' },
);

const whole = { ...limits({ minimum: 1, maximum: COUNT_MAX }) };

/** What a wave is made of, besides whom it invites. */
export const waveFields = {
  name: Type.String({
    ...limits({ minLength: 1, maxLength: WAVE_NAME_CHARACTERS_MAX }),
    description: 'What the team calls it.',
  }),
  count: nullable<number>('integer', {
    ...whole,
    description: 'Most invites of a run. `null`: everyone who is waiting.',
  }),
  keepOpen: nullable<number>('integer', {
    ...whole,
    description:
      'Instead of `schedule` and `count`: keeps this many invites open. Whenever one is accepted, expires or is ' +
      'revoked, the next person is invited, within a minute.',
  }),
  schedule: objectOrNull(ScheduleSchema, 'When it runs. `null` with `keepOpen`.'),
  untilJoined: nullable<number>('integer', {
    ...whole,
    description:
      'Ends once this many invites of the waitlist were accepted since the wave was created. Until then, the ' +
      'accepted and the open ones are never more together because of the wave, whoever sent them.',
  }),
  failurePercent: nullable<number>('integer', {
    ...limits({ minimum: 0, maximum: 100 }),
    description:
      'Pauses itself if more than this part of its last invites could not be delivered by email or webhook, bounced or were ' +
      'reported as spam, and at least 5: those since its last run began, and of the last day. `null`: never.',
  }),
};

const openInvites = Type.Integer({
  minimum: 0,
  description: 'Open invites of the waitlist, whoever sent them.',
});

const HIDDEN = '`null` for viewers if the wave chooses people by metadata.';

const WaveState = oneOf(WAVE_STATES, {
  ...named('WaveState'),
  description:
    '`scheduled` waits for its next run, `running` invites people, `paused` waits for an operator unless `resumesItself`, and `done` and `stopped` are final.',
});

export const WaveSchema = Type.Object(
  {
    id: Type.String({ ...idPattern('wav'), description: 'Unique id of the wave.' }),
    state: WaveState,
    pauseReason: nullable<string>('string', {
      description: 'Why it paused itself. `null` if it did not, or if an operator paused it.',
    }),
    resumesItself: Type.Boolean({
      description: 'Whether it goes on by itself, when the pause of emails that paused it ends.',
    }),
    damaged: Type.Boolean({
      description:
        'Whether its plan is damaged and cannot be decrypted. Then it invites nobody, and can only be renamed, paused and stopped: `null` and an empty list stand for what is not known.',
    }),
    ...waveFields,
    segment: objectOrNull(
      SegmentConditions,
      'Only people who meet these conditions. `null`: everyone. Viewers do not see `where`.',
    ),
    quotas: Type.Array(
      Type.Object(
        {
          percent: Type.Integer({ minimum: 1, maximum: 100, description: 'Part of the invites.' }),
          segment: Type.Object(SegmentConditions.properties, {
            ...closed,
            description: 'Whom they are for. Viewers do not see `where`.',
          }),
        },
        { description: 'A part of the invites for the people of a segment.' },
      ),
      {
        maxItems: QUOTAS_MAX,
        description: 'How invites are divided. What is left of 100 % is for the rest.',
      },
    ),
    invited: nullable<number>('integer', {
      minimum: 0,
      description: `Invites of this wave so far. ${HIDDEN}`,
    }),
    joined: Type.Integer({
      minimum: 0,
      description:
        'Invites of the waitlist that were accepted since the wave was created, whoever sent them.',
    }),
    openInvites,
    nextRunAt: timeOrNull('When it runs next. `null` if it is paused or over, or keeps invites open.'),
    createdAt: time('When it was created.'),
    updatedAt: time('When it last changed or invited somebody.'),
    finishedAt: timeOrNull('When it was done or stopped.'),
    createdBy: nullable<string>('string', {
      description: 'Who created it: kind and id, such as `operator:opr_…`, or `command-line`.',
    }),
  },
  { ...named('Wave'), description: 'A plan of invites.' },
);

const RunSchema = Type.Object(
  {
    scheduledAt: time('When it was planned.'),
    startedAt: timeOrNull('When it began. `null` if it was skipped.'),
    finishedAt: timeOrNull('When it ended. `null` while it runs.'),
    outcome: Type.Unsafe<WaveRun['outcome']>({
      type: ['string', 'null'],
      enum: ['done', 'skipped', 'stopped', null],
      description:
        '`skipped`: nothing ran at its time, and the next time had come. `stopped`: the wave was stopped. `null` while it runs.',
    }),
    invited: Type.Integer({ minimum: 0, description: 'Invites that it sent.' }),
    accepted: Type.Integer({ minimum: 0, description: 'Those that were accepted.' }),
    expired: Type.Integer({ minimum: 0, description: 'Those that expired.' }),
    revoked: Type.Integer({ minimum: 0, description: 'Those that were revoked.' }),
    unreadable: Type.Integer({
      minimum: 0,
      description: 'People it left out because their data cannot be decrypted.',
    }),
  },
  { ...named('WaveRun'), description: 'What a wave did at one of its times.' },
);

const share = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });
const people = (description: string) => Type.Integer({ minimum: 0, description });

const AcceptRateSchema = Type.Object(
  {
    likely: share('Accepted invites by all invites.'),
    low: share('Lower end of the range that it is in with a probability of 95 %.'),
    high: share('Upper end of that range.'),
    sample: people('The number of invites it was counted from.'),
  },
  { ...named('AcceptRate'), description: 'What part of its invites a waitlist had accepted.' },
);
const ExpectedJoins = Type.Object(
  { low: people('Lower end.'), likely: people('Most likely.'), high: people('Upper end.') },
  { ...named('ExpectedJoins'), description: 'How many of the invited people can be expected to join.' },
);

const UpcomingRun = Type.Object(
  {
    at: time('When it runs.'),
    invites: people('Most invites, if nobody else is invited before, and no place comes back.'),
    expectedJoins: objectOrNull(
      ExpectedJoins,
      'How many of them can be expected to join. `null`: not known.',
    ),
  },
  { ...named('UpcomingRun'), description: 'A run to come.' },
);

export const WaveForecastSchema = Type.Object(
  {
    acceptRate: objectOrNull(
      AcceptRateSchema,
      `From the newest invites of this waitlist that are at least 7 days old. \`null\`: not known, because there are fewer than ${SAMPLE_MIN}.`,
    ),
    openInvites,
    upcoming: Type.Array(UpcomingRun, { maxItems: UPCOMING_MAX, description: 'The next runs.' }),
  },
  { description: 'What a wave will do.' },
);

export const WaveDetailsSchema = Type.Object(
  {
    ...WaveSchema.properties,
    ...WaveForecastSchema.properties,
    upcoming: arrayOrNull(UpcomingRun, { maxItems: UPCOMING_MAX, description: `The next runs. ${HIDDEN}` }),
    runs: arrayOrNull(RunSchema, {
      maxItems: RUNS_SHOWN,
      description: `The last runs, newest first. ${HIDDEN}`,
    }),
  },
  { description: 'A wave with its last and its next runs.' },
);

export const EXAMPLE_SCHEDULE: Static<typeof ScheduleSchema> = {
  timeZone: 'Europe/Berlin',
  time: '09:00',
  repeat: 'weekly',
  days: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'],
};

export const EXAMPLE_WAVE: Static<typeof WaveSchema> = {
  id: 'wav_06gxx2p9r1yn1vp1ryss481fhw',
  state: 'scheduled',
  pauseReason: null,
  resumesItself: false,
  damaged: false,
  name: 'Weekday mornings',
  count: 500,
  keepOpen: null,
  schedule: EXAMPLE_SCHEDULE,
  untilJoined: 10_000,
  failurePercent: 10,
  segment: null,
  quotas: [{ percent: 70, segment: { where: ['plan=pro'] } }],
  invited: 500,
  joined: 180,
  openInvites: 320,
  nextRunAt: '2026-11-17T08:00:00.000Z',
  createdAt: '2026-11-15T09:30:00.000Z',
  updatedAt: '2026-11-16T08:00:00.000Z',
  finishedAt: null,
  createdBy: 'operator:opr_06gxx2p9r1yn1vp1ryss481fhw',
};

export const EXAMPLE_FORECAST: Static<typeof WaveForecastSchema> = {
  acceptRate: { likely: 0.4, low: 0.37, high: 0.43, sample: 1_000 },
  openInvites: 320,
  upcoming: [
    { at: '2026-11-17T08:00:00.000Z', invites: 500, expectedJoins: { low: 185, likely: 200, high: 215 } },
  ],
};

export const EXAMPLE_WAVE_DETAILS: Static<typeof WaveDetailsSchema> = {
  ...EXAMPLE_WAVE,
  ...EXAMPLE_FORECAST,
  runs: [
    {
      scheduledAt: '2026-11-16T08:00:00.000Z',
      startedAt: '2026-11-16T08:00:00.120Z',
      finishedAt: '2026-11-16T08:00:00.120Z',
      outcome: 'done',
      invited: 500,
      accepted: 180,
      expired: 0,
      revoked: 0,
      unreadable: 0,
    },
  ],
};

type Segment = Parameters<typeof presentConditions>[0];

const UNKNOWN_PLAN: WavePlan = { ...NEW_PLAN, failurePercent: null };

/** Whether numbers of the wave can tell about people. */
export function hidesPeople({ plan }: Wave): boolean {
  return plan === null || usesMetadata(plan);
}

/** Viewers must not learn who has a value of metadata. */
export function presentWave(wave: Wave, mask: Mask): Static<typeof WaveSchema> {
  const { count, keepOpen, schedule, untilJoined, failurePercent, segment, quotas } =
    wave.plan ?? UNKNOWN_PLAN;
  const conditions = ({ pairs, ...rest }: Segment) =>
    presentConditions(mask.on || pairs === undefined ? rest : { pairs, ...rest });
  return {
    id: wave.id,
    state: wave.state,
    pauseReason: wave.pauseReason,
    resumesItself: wave.resumesItself,
    damaged: wave.plan === null,
    name: wave.name,
    count,
    keepOpen,
    schedule: schedule && presentSchedule(schedule),
    untilJoined,
    failurePercent,
    segment: segment && conditions(segment),
    quotas: quotas.map(({ percent, segment }) => ({ percent, segment: conditions(segment) })),
    invited: hidesPeople(wave) ? mask.secret(wave.invited) : wave.invited,
    joined: wave.joined,
    openInvites: wave.openInvites,
    nextRunAt: isoTimeOrNull(wave.nextRunAt),
    createdAt: isoTime(wave.createdAt),
    updatedAt: isoTime(wave.updatedAt),
    finishedAt: isoTimeOrNull(wave.finishedAt),
    createdBy: wave.createdBy,
  };
}

function presentSchedule(schedule: Schedule): Static<typeof ScheduleSchema> {
  const { timeZone, time, repeat, date, days, dayOfMonth } = schedule;
  return {
    timeZone,
    time,
    repeat,
    ...(date === undefined ? {} : { date }),
    ...(days === undefined ? {} : { days: [...days] }),
    ...(dayOfMonth === undefined ? {} : { dayOfMonth }),
  };
}

export function presentRun(run: WaveRun): Static<typeof RunSchema> {
  return {
    ...run,
    scheduledAt: isoTime(run.scheduledAt),
    startedAt: isoTimeOrNull(run.startedAt),
    finishedAt: isoTimeOrNull(run.finishedAt),
  };
}

export function presentForecast(forecast: Forecast): Static<typeof WaveForecastSchema> {
  const { acceptRate, openInvites, upcoming } = forecast;
  return {
    acceptRate,
    openInvites,
    upcoming: upcoming.map(({ at, ...rest }) => ({ at: isoTime(at), ...rest })),
  };
}
