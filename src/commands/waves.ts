import type { Static } from 'typebox';
import { type Mailable, waits } from '../mail/mailable.ts';
import { waves as operations } from '../operations/waves/waves.ts';
import { type Schedule, WEEKDAYS, type Weekday } from '../waitlist/waves/schedule.ts';
import type { presentForecast, presentWave, WaveDetailsSchema } from '../wire/wave.ts';
import { type Flag, type Flags, type Outcome, requireText, table, textOr, UsageProblem } from './command.ts';
import { commandsFor } from './command-of.ts';
import { SEGMENT_FLAGS, segmentInput } from './entries.ts';
import type { FieldWords } from './field-flags.ts';

type Wave = ReturnType<typeof presentWave>;
type Forecast = ReturnType<typeof presentForecast>;
type Details = Static<typeof WaveDetailsSchema> & { mailable: Mailable };

const PLAN_FLAGS: Record<string, Flag> = {
  on: {
    value: 'DAYS',
    about: 'daily, weekdays, monday,thursday, a day of the month (1 to 31), or a date.',
    field: 'schedule.date',
  },
  time: { value: 'HH:MM', about: 'Time of day, with --on.', field: 'schedule.time' },
  'time-zone': {
    value: 'ZONE',
    about: 'Time zone of --time, such as Europe/Berlin (default: UTC).',
    field: 'schedule.timeZone',
  },
  ...SEGMENT_FLAGS,
  quota: {
    value: 'PERCENT:KEY=VALUE',
    about: 'A part of the invites for people with this metadata value, such as 70:plan=pro. Repeatable.',
    repeated: true,
    field: 'quotas',
  },
};
const PLAN_FIELDS: Record<string, FieldWords | false> = {
  count: { value: 'N', about: 'Most invites of a run (default: everyone who is waiting).' },
  keepOpen: { value: 'N', about: 'Instead of --on: keep this many invites open.' },
  untilJoined: { value: 'N', about: 'End once this many invites were accepted.' },
  ...{ schedule: false, segment: false, quotas: false },
};

const command = commandsFor(operations);

export const waves = [
  command<(Wave | Forecast) & { mailable: Mailable }>('createWave', {
    name: 'wave create',
    once: true,
    about: 'Plan invites: at the times of a schedule, or to keep a number of them open.',
    operands: { NAME: 'name' },
    fields: { ...PLAN_FIELDS, dryRun: { alone: true, about: 'Only show what the wave would do.' } },
    flags: PLAN_FLAGS,
    input: (flags) => {
      if (flags.on === undefined && flags['keep-open'] === undefined)
        throw new UsageProblem('use either --on or --keep-open');
      return planOf(flags);
    },
    show: (answer) => {
      const { mailable } = answer;
      const text = 'upcoming' in answer ? upcomingTable(answer) : outcomeOf('Created')(answer).text;
      const note = mailable.mailable || waits(mailable) ? '' : 'Invites are not emailed.';
      const lines = [text, [note, mailable.message ?? ''].filter(Boolean).join(' ')];
      return { json: answer, text: lines.filter(Boolean).join('\n') };
    },
  }),
  command<Wave[]>('listWaves', {
    name: 'wave list',
    about: 'List waves, newest first.',
    all: 'waves',
    show: (list) => {
      const rows = list.map(({ id, name, state, invited, joined, openInvites, nextRunAt }) => [
        ...[id, name, state, invited, joined, openInvites, nextRunAt],
      ]);
      const headings = ['ID', 'NAME', 'STATE', 'INVITED', 'JOINED', 'OPEN', 'NEXT RUN'];
      return { json: list, text: table(headings, rows) };
    },
  }),
  command<Details>('getWave', {
    name: 'wave show',
    about: 'Show a wave with its last and its next runs.',
    show: (wave) => ({ json: wave, text: detailsText(wave) }),
  }),
  command<Wave>('updateWave', {
    name: 'wave update',
    about: 'Change a wave. Only what is given changes; a run that is under way follows from its next batch.',
    fields: {
      name: { value: 'NAME', about: 'What the team calls it.' },
      ...PLAN_FIELDS,
      count: { value: 'N|none', about: 'Most invites of a run, or none: everyone who is waiting.' },
      paused: { about: 'Whether it is paused, as with wave pause and wave resume.' },
    },
    flags: PLAN_FLAGS,
    input: planOf,
    show: outcomeOf('Updated'),
  }),
  command<Wave>('updateWave', {
    name: 'wave pause',
    about: 'Pause a wave after its current batch.',
    fields: 'none',
    input: () => ({ paused: true }),
    show: outcomeOf('Paused'),
  }),
  command<Wave>('updateWave', {
    name: 'wave resume',
    about: 'Let a paused wave go on.',
    fields: 'none',
    input: () => ({ paused: false }),
    show: outcomeOf('Resumed'),
  }),
  command<Wave>('stopWave', {
    name: 'wave stop',
    about: 'End a wave for good. Its invites stay open.',
    show: outcomeOf('Stopped'),
  }),
];

function outcomeOf(done: string) {
  return (wave: Wave): Outcome => {
    const next = wave.nextRunAt ? ` Next run: ${wave.nextRunAt}.` : '';
    return { json: wave, text: `${done} ${wave.id}: ${wave.state}.${next}` };
  };
}

function detailsText(wave: Details): string {
  const { runs, upcoming, acceptRate: _, mailable, ...plan } = wave;
  const shown = { ...plan, emails: mailable.message ?? 'sent' };
  const lines = Object.entries(shown).map(([name, value]) => `${name.padEnd(16)}${wordOf(value)}`);
  const runRows = (runs ?? []).map(({ scheduledAt, outcome, invited, accepted }) => [
    ...[scheduledAt, outcome ?? 'running', invited, accepted],
  ]);
  const tables = [
    ...(runRows.length > 0 ? [table(['RUN', 'OUTCOME', 'INVITED', 'ACCEPTED'], runRows)] : []),
    ...(upcoming && upcoming.length > 0 ? [upcomingTable({ upcoming })] : []),
  ];
  return [lines.join('\n'), ...tables].join('\n\n');
}

function wordOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '-');
}

function upcomingTable({ upcoming }: { upcoming: NonNullable<Details['upcoming']> }): string {
  const rows = upcoming.map(({ at, invites, expectedJoins: joins }) => [
    ...[at, invites, joins ? `${joins.likely} (${joins.low} to ${joins.high})` : 'unknown'],
  ]);
  return table(['AT', 'MOST INVITES', 'EXPECTED TO JOIN'], rows);
}

/** What the flags say about it that are no fields. */
function planOf(flags: Flags): object {
  if (flags.on === undefined && (flags.time !== undefined || flags['time-zone'] !== undefined))
    throw new UsageProblem('use --time and --time-zone with --on');
  const segment = segmentInput(flags);
  const quotas = quotasOf(flags);
  return {
    ...(flags.on === undefined ? {} : { schedule: scheduleOf(flags) }),
    ...(Object.keys(segment).length === 0 ? {} : { segment }),
    ...(quotas.length === 0 ? {} : { quotas }),
  };
}

function scheduleOf(flags: Flags): Schedule {
  const on = requireText(flags, 'on');
  const clock = { timeZone: textOr(flags, 'time-zone', 'UTC'), time: requireText(flags, 'time') };
  if (/^\d{4}-/.test(on)) return { ...clock, repeat: 'once', date: on };
  if (/^\d{1,2}$/.test(on)) return { ...clock, repeat: 'monthly', dayOfMonth: Number(on) };
  if (on === 'daily') return { ...clock, repeat: 'daily' };
  const days = on === 'weekdays' ? WEEKDAYS.slice(0, 5) : (on.split(',') as Weekday[]);
  if (!days.every((day) => WEEKDAYS.includes(day)))
    throw new UsageProblem(
      '--on: must be daily, weekdays, days of the week such as monday,thursday, 1 to 31, or a date',
    );
  return { ...clock, repeat: 'weekly', days };
}

function quotasOf({ quota }: Flags) {
  return (Array.isArray(quota) ? quota : []).map((text) => {
    const [, percent, key, value] = /^(\d{1,3}):([^=]+)=(.*)$/.exec(text) ?? [];
    if (key === undefined || value === undefined)
      throw new UsageProblem('--quota: must be PERCENT:KEY=VALUE, such as 70:plan=pro');
    return { percent: Number(percent), segment: { where: [`${key}=${value}`] } };
  });
}
