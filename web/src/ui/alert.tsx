import { CircleAlert, Info } from 'lucide-react';
import type { ReactNode } from 'react';
import { cx } from './cx.ts';

interface AlertProps {
  tone?: 'danger' | 'warn' | 'info';
  title?: ReactNode;
  children: ReactNode;
}

const TONES = {
  danger: 'bg-danger-soft text-danger',
  warn: 'bg-warn-soft text-warn',
  info: 'bg-accent-soft text-accent-strong',
};

/** Something to know before going on. Errors are read out at once. */
export function Alert({ tone = 'danger', title, children }: AlertProps) {
  const Icon = tone === 'info' ? Info : CircleAlert;
  return (
    <div
      role={tone === 'danger' ? 'alert' : undefined}
      className={cx('flex gap-2.5 rounded-md px-3 py-2.5', TONES[tone])}
    >
      <Icon className="mt-0.75 size-4 shrink-0" aria-hidden />
      <div className="min-w-0 break-words">
        {title && <p className="font-medium">{title}</p>}
        {children}
      </div>
    </div>
  );
}
