import { isEmpty } from '../queue/segment.ts';
import { draftOf, segmentOf } from '../queue/segment-draft.ts';
import { conditionsOf, splitPair } from '../queue/segment-words.ts';
import type { Wave, WaveChange, WaveRequest, WaveSchedule } from './waves.ts';

export const WEEKDAYS = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const;
type Weekday = (typeof WEEKDAYS)[number];

export interface QuotaDraft {
  id: number;
  percent: string;
  key: string;
  value: string;
}

/** What a person has filled in. */
export interface WaveDraft {
  name: string;
  way: 'schedule' | 'open';
  repeat: 'weekdays' | WaveSchedule['repeat'];
  days: readonly Weekday[];
  dayOfMonth: string;
  date: string;
  /** The first possible day of a wave that is repeated. There is no field for it. */
  from: string;
  time: string;
  timeZone: string;
  count: string;
  keepOpen: string;
  untilJoined: string;
  /** `kept` while an existing wave invites people by conditions that there are no fields for. */
  who: 'everyone' | 'segment' | 'quotas' | 'kept';
  segment: ReturnType<typeof draftOf>;
  quotas: readonly QuotaDraft[];
}

export function newDraft(timeZone: string): WaveDraft {
  return {
    ...{
      name: '',
      way: 'schedule',
      repeat: 'weekdays',
      days: ['monday'],
      dayOfMonth: '1',
      date: '',
      from: '',
    },
    ...{ time: '09:00', timeZone, count: '100', keepOpen: '100', untilJoined: '' },
    ...{ who: 'everyone', segment: draftOf({}), quotas: [{ id: 0, percent: '70', key: '', value: '' }] },
  } satisfies WaveDraft;
}

/** Of a wave that exists. */
export function draftFrom(wave: Wave): WaveDraft {
  const { schedule, count, keepOpen, untilJoined } = wave;
  const text = (value: number | null) => (value === null ? '' : String(value));
  const draft = {
    ...newDraft(schedule?.timeZone ?? 'UTC'),
    ...{ ...whoFrom(wave), name: wave.name, untilJoined: text(untilJoined) },
  };
  if (!schedule) return { ...draft, way: 'open', keepOpen: text(keepOpen) };
  const { repeat, time, date = '', dayOfMonth = 1, days = ['monday'] } = schedule;
  const isWorkweek = repeat === 'weekly' && days.join() === WEEKDAYS.slice(0, 5).join();
  return {
    ...{ ...draft, time, days, count: text(count), dayOfMonth: String(dayOfMonth) },
    ...(repeat === 'once' ? { date } : { from: date }),
    repeat: isWorkweek ? 'weekdays' : repeat,
  };
}

function whoFrom({ segment, quotas }: Wave): Pick<WaveDraft, 'who'> & Partial<WaveDraft> {
  if (segment) {
    const { minReferrals, ...rest } = segment;
    const least = minReferrals === undefined ? undefined : String(minReferrals);
    return { who: 'segment', segment: draftOf({ ...rest, minReferrals: least }) };
  }
  if (quotas.length === 0) return { who: 'everyone' };
  const drafts = quotas.flatMap(({ percent, segment: { where = [], ...others } }, id) => {
    const [pair, ...more] = where;
    if (pair === undefined || more.length > 0 || Object.keys(others).length > 0) return [];
    const [key, value] = splitPair(pair);
    return { id, percent: String(percent), key, value };
  });
  return drafts.length < quotas.length ? { who: 'kept' } : { who: 'quotas', quotas: drafts };
}

/** Only what differs: a schedule that is sent again would begin again. */
export function changesOf(wave: Wave, draft: WaveDraft): WaveChange {
  const { segment = null, quotas = [], ...plan } = requestOf(draft);
  const wanted: WaveChange = {
    ...{ count: null, keepOpen: null, schedule: null, ...plan },
    ...(draft.who === 'kept' ? {} : { segment, quotas }),
  };
  const now = { ...wave } as Record<string, unknown>;
  const changed = Object.entries(wanted).filter(
    ([name, value]) => JSON.stringify(sorted(value)) !== JSON.stringify(sorted(now[name])),
  );
  return Object.fromEntries(changed);
}

/** Objects with the same content have the same text. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

const wholeOrNull = (text: string) => (text.trim() === '' ? null : Number(text));

/** What is missing or wrong is for the server to say. */
export function requestOf(draft: WaveDraft): WaveRequest {
  const segment = segmentOf(draft.segment);
  return {
    name: draft.name,
    ...(draft.way === 'open'
      ? { keepOpen: Number(draft.keepOpen) }
      : { count: wholeOrNull(draft.count), schedule: scheduleOf(draft) }),
    untilJoined: wholeOrNull(draft.untilJoined),
    ...(draft.who === 'segment' ? { segment: isEmpty(segment) ? {} : conditionsOf(segment) } : {}),
    ...(draft.who === 'quotas' ? { quotas: draft.quotas.map(quotaOf) } : {}),
  };
}

/** For a preview: undefined while something is missing. */
export function previewOf(draft: WaveDraft): WaveRequest | undefined {
  const { way, who, repeat, date, days, time, segment, quotas } = draft;
  const isWhole = (text: string) => /^[1-9]\d{0,8}$/.test(text.trim());
  const isOptional = (text: string) => text.trim() === '' || isWhole(text);
  const isPlanned =
    time !== '' && (repeat !== 'once' || date !== '') && (repeat !== 'weekly' || days.length > 0);
  const isComplete = [
    way === 'open' ? isWhole(draft.keepOpen) : isPlanned && isOptional(draft.count),
    repeat !== 'monthly' || (isWhole(draft.dayOfMonth) && Number(draft.dayOfMonth) <= 31),
    isOptional(draft.untilJoined),
    who !== 'segment' || !isEmpty(segmentOf(segment)),
    who !== 'quotas' || quotas.every(({ percent, key }) => isWhole(percent) && key.trim() !== ''),
    who !== 'quotas' || quotas.reduce((sum, { percent }) => sum + Number(percent), 0) <= 100,
  ].every(Boolean);
  return isComplete ? requestOf({ ...draft, name: 'Preview' }) : undefined;
}

function quotaOf({ percent, key, value }: QuotaDraft) {
  return {
    percent: Number(percent),
    segment: key.trim() ? { where: [`${key.trim()}=${value.trim()}`] } : {},
  };
}

function scheduleOf({ repeat, days, dayOfMonth, date, from, time, timeZone }: WaveDraft): WaveSchedule {
  const day = repeat === 'once' ? date : from;
  const clock = { time, timeZone, ...(day ? { date: day } : {}) };
  if (repeat === 'weekdays') return { ...clock, repeat: 'weekly', days: WEEKDAYS.slice(0, 5) };
  if (repeat === 'weekly') return { ...clock, repeat, days: [...days] };
  return repeat === 'monthly' ? { ...clock, repeat, dayOfMonth: Number(dayOfMonth) } : { ...clock, repeat };
}
