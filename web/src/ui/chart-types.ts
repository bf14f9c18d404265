import type { ReactNode } from 'react';

export type SeriesColor = 'accent' | 'violet' | 'sky' | 'warn' | 'danger' | 'mute';

interface Series {
  label: string;
  color: SeriesColor;
  values: readonly number[];
  /** A line without an area below it. */
  dashed?: boolean;
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
  height?: number;
  actions?: ReactNode;
}
