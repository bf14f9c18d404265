import { choiceWords, type Labels } from '../../ui/use-settings.ts';
import { segmentOf } from '../queue/segment-draft.ts';
import { conditionsIn } from '../queue/segment-words.ts';
import { REPEATS } from './schedule-fields.tsx';
import type { WaveDraft } from './wave-draft.ts';
import { zoneName } from './waves.ts';

const WHO = [
  { value: 'everyone', label: 'Everyone, in the order of the queue' },
  { value: 'segment', label: 'A segment' },
  { value: 'quotas', label: 'Divided by quotas' },
  { value: 'kept', label: 'Conditions that have no fields here' },
];

const limitWords = (limit: string) => limit || 'No limit';

/** What the fields of a plan are called, and how they read. */
export const LABELS: Labels<WaveDraft> = {
  name: 'Name',
  way: { label: 'How', words: (way) => (way === 'open' ? 'Keep invites open' : 'At set times') },
  repeat: { label: 'Days', words: choiceWords(() => REPEATS) },
  days: { label: 'Days of the week', words: (days) => days.join(', ') },
  dayOfMonth: 'Day of the month',
  date: 'Date',
  from: 'First day',
  time: 'Time',
  timeZone: { label: 'Time zone', words: zoneName },
  count: { label: 'Invites each time', words: limitWords },
  keepOpen: 'Open invites',
  untilJoined: { label: 'Until this many have joined', words: limitWords },
  who: { label: 'Who', words: choiceWords(() => WHO) },
  segment: {
    label: 'Segment',
    words: (segment) =>
      conditionsIn(segmentOf(segment))
        .map(({ label }) => label)
        .join('\n') || 'No conditions',
  },
  quotas: {
    label: 'Quotas',
    words: (quotas) =>
      quotas.map(({ percent, key, value }) => `${percent}%: ${key || '…'} is ${value || 'empty'}`).join('\n'),
  },
};
