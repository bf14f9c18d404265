import { mailableFrom, waits } from '../mail/mailable.ts';
import { hasMailServer } from '../mail/sending.ts';
import type { Segment } from '../waitlist/entries/segment.ts';
import type { Context } from '../waitlist/queue/context.ts';
import type { Queue } from '../waitlist/queue/queue.ts';
import { changeWave, createWave, type NewWave, stopWave } from '../waitlist/waves/change-waves.ts';
import { type Forecast, previewWave } from '../waitlist/waves/forecast.ts';
import { COUNT_MAX, type Quota } from '../waitlist/waves/plan.ts';
import { type Schedule, WEEKDAYS, type Weekday } from '../waitlist/waves/schedule.ts';
import { listWaves, type Wave } from '../waitlist/waves/waves.ts';
import { UNMASKED } from '../wire/mask.ts';
import { presentForecast, presentWave } from '../wire/wave.ts';
import { type Command, type Flags, parseWhole, requireText, table, textOr, UsageProblem } from './command.ts';
import { parseSegment, SEGMENT_FLAGS } from './entries.ts';
import { QUEUE_FLAGS, queueOf } from './queue.ts';

const WAVES_AT_ONCE = 200;
const WHOLE = { from: 1, to: COUNT_MAX };

export const waves: Command[] = [
  {
    name: 'wave create',
    once: true,
    about: 'Plan invites: at the times of a schedule, or to keep a number of them open.',
    operands: ['NAME'],
    flags: {
      ...QUEUE_FLAGS,
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
      count: { value: 'N', about: 'Most invites of a run (default: everyone who is waiting).' },
      'keep-open': { value: 'N', about: 'Instead of --on: keep this many invites open.' },
      'until-joined': { value: 'N', about: 'End once this many invites were accepted.' },
      ...SEGMENT_FLAGS,
      quota: {
        value: 'PERCENT:KEY=VALUE',
        about: 'A part of the invites for people with this metadata value, such as 70:plan=pro. Repeatable.',
        repeated: true,
        field: 'quotas',
      },
      'dry-run': { about: 'Only show what the wave would do.' },
    },
    run: async (context, [name = ''], flags, config) => {
      const queue = await queueOf(context, flags);
      const input = await inputOf(context, queue, name, flags);
      const { json, text } =
        flags['dry-run'] === true
          ? forecastOutcome(await previewWave(context, queue, input))
          : outcomeOf('Created', await createWave(context, queue, input));
      const mailable = await mailableFrom(context, queue, 'invite', await hasMailServer(context, config));
      const note = mailable.mailable || waits(mailable) ? '' : 'Invites are not emailed.';
      const lines = [text, [note, mailable.message ?? ''].filter(Boolean).join(' ')];
      return { json: { ...json, mailable }, text: lines.filter(Boolean).join('\n') };
    },
  },
  {
    name: 'wave list',
    about: 'List waves, newest first.',
    flags: QUEUE_FLAGS,
    run: async (context, _, flags) => {
      const found = await listWaves(context, await queueOf(context, flags), { limit: WAVES_AT_ONCE });
      const list = found.map((wave) => presentWave(wave, UNMASKED));
      const rows = list.map(({ id, name, state, invited, joined, openInvites, nextRunAt }) => [
        ...[id, name, state, invited, joined, openInvites, nextRunAt],
      ]);
      const headings = ['ID', 'NAME', 'STATE', 'INVITED', 'JOINED', 'OPEN', 'NEXT RUN'];
      return { json: list, text: table(headings, rows) };
    },
  },
  {
    name: 'wave pause',
    about: 'Pause a wave after its current batch.',
    operands: ['WAVE_ID'],
    flags: QUEUE_FLAGS,
    run: async (context, [id = ''], flags) =>
      outcomeOf('Paused', await changeWave(context, await queueOf(context, flags), id, { paused: true })),
  },
  {
    name: 'wave resume',
    about: 'Let a paused wave go on.',
    operands: ['WAVE_ID'],
    flags: QUEUE_FLAGS,
    run: async (context, [id = ''], flags) =>
      outcomeOf('Resumed', await changeWave(context, await queueOf(context, flags), id, { paused: false })),
  },
  {
    name: 'wave stop',
    about: 'End a wave for good. Its invites stay open.',
    operands: ['WAVE_ID'],
    flags: QUEUE_FLAGS,
    run: async (context, [id = ''], flags) =>
      outcomeOf('Stopped', await stopWave(context, await queueOf(context, flags), id)),
  },
];

function outcomeOf(done: string, wave: Wave) {
  const json = presentWave(wave, UNMASKED);
  const next = json.nextRunAt ? ` Next run: ${json.nextRunAt}.` : '';
  return { json, text: `${done} ${json.id}: ${json.state}.${next}` };
}

function forecastOutcome(forecast: Forecast) {
  const json = presentForecast(forecast);
  const rows = json.upcoming.map(({ at, invites, expectedJoins: joins }) => [
    ...[at, invites, joins ? `${joins.likely} (${joins.low} to ${joins.high})` : 'unknown'],
  ]);
  return { json, text: table(['AT', 'MOST INVITES', 'EXPECTED TO JOIN'], rows) };
}

async function inputOf(context: Context, queue: Queue, name: string, flags: Flags): Promise<NewWave> {
  const segment: Segment = await parseSegment(context, queue, flags, 'waiting');
  return {
    name,
    count: parseWhole(flags, 'count', WHOLE),
    keepOpen: parseWhole(flags, 'keep-open', WHOLE),
    untilJoined: parseWhole(flags, 'until-joined', WHOLE),
    schedule: scheduleOf(flags),
    segment: Object.keys(segment).length === 0 ? null : segment,
    quotas: quotasOf(flags),
  };
}

function scheduleOf(flags: Flags): Schedule | null {
  const on = textOr(flags, 'on', undefined);
  if (on === undefined) {
    if (flags['keep-open'] === undefined) throw new UsageProblem('use either --on or --keep-open');
    return null;
  }
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

function quotasOf({ quota }: Flags): Quota[] {
  return (Array.isArray(quota) ? quota : []).map((text) => {
    const [, percent, key, value] = /^(\d{1,3}):([^=]+)=(.*)$/.exec(text) ?? [];
    if (key === undefined || value === undefined)
      throw new UsageProblem('--quota: must be PERCENT:KEY=VALUE, such as 70:plan=pro');
    return { percent: Number(percent), segment: { pairs: [{ key, value }] } };
  });
}
