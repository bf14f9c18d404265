import type { ReactNode } from 'react';

export type SeriesColor = 'accent' | 'violet' | 'sky' | 'warn' | 'danger' | 'mute';

interface Series {
  label: string;
  color: SeriesColor;
  values: readonly number[];
  /** A line without an area below it. */
  dashed?: boolean;
  /** Thin, and over: it is from an earlier time. */
  past?: boolean;
}

export interface ChartProps {
  label: string;
  /** ISO times. */
  times: readonly string[];
  /** In which the times are shown. */
  timeZone: string;
  /** Whether the last time is not over yet, so that its numbers still grow. */
  running?: boolean;
  series: readonly Series[];
  formatTime: (at: string) => string;
  /** Called with the number of the time that was clicked. The table then needs `linkAt`. */
  onPick?: (index: number) => void;
  /** For the table: a link with this text to what happened at a time. */
  linkAt?: (index: number, text: string) => ReactNode;
  height?: number;
  actions?: ReactNode;
}
