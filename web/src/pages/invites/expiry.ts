import { durationInWords } from '../../ui/duration.ts';

const DAY_MS = 86_400_000;

export type Expiry = 'standard' | '1' | '3' | '7' | '14' | '30' | 'never';

export const EXPIRIES: { value: Expiry; label: string }[] = [
  { value: '1', label: 'After 1 day' },
  { value: '3', label: 'After 3 days' },
  { value: '7', label: 'After 7 days' },
  { value: '14', label: 'After 14 days' },
  { value: '30', label: 'After 30 days' },
  { value: 'never', label: 'Never' },
];

export function expiryBody(expiry: Expiry): { expiresAt?: null; expiresInMs?: number } {
  if (expiry === 'standard') return {};
  return expiry === 'never' ? { expiresAt: null } : { expiresInMs: Number(expiry) * DAY_MS };
}

/** The setting of the waitlist in words. */
export function standardExpiry(ms: number | null | undefined): string {
  if (ms === undefined) return 'Default of the waitlist';
  if (ms === null) return 'Default of the waitlist: never';
  return `Default of the waitlist: after ${durationInWords(ms)}`;
}
