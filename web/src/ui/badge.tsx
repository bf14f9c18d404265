import type { ReactNode } from 'react';
import type { EntryStatus } from '../api/choices.ts';
import { capitalize } from './capitalize.ts';
import { cx } from './cx.ts';

export type Tone = 'neutral' | 'accent' | 'danger' | 'warn' | 'sky' | 'violet';

const TONES: Record<Tone, string> = {
  neutral: 'bg-hover text-mute',
  accent: 'bg-accent-soft text-accent-strong',
  danger: 'bg-danger-soft text-danger',
  warn: 'bg-warn-soft text-warn',
  sky: 'bg-sky-soft text-sky',
  violet: 'bg-violet-soft text-violet',
};

export function Badge({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span
      className={cx(
        'inline-flex h-5.5 items-center gap-1 rounded-full px-2 text-xs font-medium whitespace-nowrap',
        TONES[tone],
      )}
    >
      {children}
    </span>
  );
}

const STATUS_TONES: Record<EntryStatus, Tone> = {
  pending: 'warn',
  waiting: 'sky',
  invited: 'violet',
  joined: 'accent',
  removed: 'neutral',
  declined: 'danger',
};

export function StatusBadge({ status }: { status: EntryStatus }) {
  return <Badge tone={STATUS_TONES[status]}>{capitalize(status)}</Badge>;
}
