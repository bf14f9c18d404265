/** What the counters of the form can look back at. */
export const REFUSED_PERIODS = [
  { value: '24h', label: '24 hours', days: 1 },
  { value: '7d', label: '7 days', days: 7 },
  { value: '30d', label: '30 days', days: 30 },
] as const;

export type RefusedPeriod = (typeof REFUSED_PERIODS)[number]['value'];
export const REFUSED_PERIOD_NAMES = REFUSED_PERIODS.map(({ value }) => value);

export const FORM_TABS = ['setup', 'install', 'activity'] as const;
export type FormTab = (typeof FORM_TABS)[number];
