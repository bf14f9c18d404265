import { durationInWords } from '../../ui/duration.ts';

const DAY_MS = 86_400_000;

const EXPIRIES = [
  { value: 'never', label: 'Never' },
  { value: String(DAY_MS), label: 'After 1 day' },
  { value: String(3 * DAY_MS), label: 'After 3 days' },
  { value: String(7 * DAY_MS), label: 'After 7 days' },
  { value: String(14 * DAY_MS), label: 'After 14 days' },
  { value: String(30 * DAY_MS), label: 'After 30 days' },
];

export function expiryOptions(current: string): { value: string; label: string }[] {
  if (EXPIRIES.some(({ value }) => value === current)) return EXPIRIES;
  return [...EXPIRIES, { value: current, label: `After ${durationInWords(Number(current))}` }];
}
