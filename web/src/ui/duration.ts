import { number } from './number.ts';

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

/** "7 days", "36 hours": exactly, in the largest unit that can say it. */
export function durationInWords(ms: number): string {
  const [unit, size] = UNITS.find(([, each]) => ms % each === 0) ?? UNITS[2];
  const amount = Math.max(1, Math.round(ms / size));
  return `${number(amount)} ${unit}${amount === 1 ? '' : 's'}`;
}
