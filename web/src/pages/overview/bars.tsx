import type { ReactNode } from 'react';
import { number } from '../../ui/number.ts';

interface Bar {
  id: string;
  label: ReactNode;
  value: number;
  /** Around the number, such as a link. */
  count?: (text: string) => ReactNode;
  /** Beside the number, such as a share. */
  about?: ReactNode;
}

/** A ranking: the longest bar is the largest value. */
export function Bars({ label, bars }: { label: string; bars: readonly Bar[] }) {
  const largest = Math.max(1, ...bars.map(({ value }) => value));
  return (
    <ul aria-label={label} className="flex flex-col gap-1.5">
      {bars.map(({ id, label: name, value, count = (text) => text, about }) => (
        <li key={id} className="relative flex h-8 items-center gap-3 px-2.5 text-sm">
          <span
            aria-hidden
            className="absolute inset-y-0 left-0 rounded-sm bg-accent-soft"
            style={{ width: `${value === 0 ? 0 : Math.max(1, (value / largest) * 100)}%` }}
          />
          <span className="relative min-w-0 flex-1 truncate">{name}</span>
          <span className="relative font-medium tabular-nums">{count(number(value))}</span>
          {about !== undefined && (
            <span className="relative w-12 text-right text-mute tabular-nums">{about}</span>
          )}
        </li>
      ))}
    </ul>
  );
}

export function percent(part: number, whole: number): string {
  if (whole === 0) return '–';
  const share = (part / whole) * 100;
  return `${share.toFixed(share > 0 && share < 10 ? 1 : 0)}%`;
}
