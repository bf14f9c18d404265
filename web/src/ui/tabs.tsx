import { Tabs as Base } from '@base-ui/react/tabs';
import type { ReactNode } from 'react';
import { cx } from './cx.ts';

export interface Tab<T extends string> {
  value: T;
  label: ReactNode;
  /** A number beside the label. */
  count?: number | null;
}

interface TabsProps<T extends string> {
  value: T;
  onChange: (value: T) => void;
  tabs: readonly Tab<T>[];
  label: string;
  /** What the chosen tab shows. Without it, the tabs only filter what is below. */
  children?: ReactNode;
  className?: string;
}

export function Tabs<T extends string>({ value, onChange, tabs, label, children, className }: TabsProps<T>) {
  return (
    <Base.Root value={value} onValueChange={(next) => onChange(next as T)} className={className}>
      <Base.List
        aria-label={label}
        className="scrollbar-none relative flex gap-1 overflow-x-auto border-b text-base"
      >
        {tabs.map((tab) => (
          <Base.Tab
            key={tab.value}
            value={tab.value}
            className={cx(
              'relative flex h-10 items-center gap-2 rounded-t-md px-3 font-medium whitespace-nowrap text-mute outline-offset-[-2px]! hover:text-ink',
              'after:absolute after:inset-x-2 after:bottom-[-1px] after:h-0.5 after:rounded-full data-[active]:text-ink data-[active]:after:bg-accent',
            )}
          >
            {tab.label}
            {tab.count !== undefined && tab.count !== null && (
              <span className="text-sm font-normal text-mute tabular-nums">
                {tab.count.toLocaleString('en')}
              </span>
            )}
          </Base.Tab>
        ))}
      </Base.List>
      {children !== undefined && (
        <Base.Panel value={value} className="outline-offset-4">
          {children}
        </Base.Panel>
      )}
    </Base.Root>
  );
}
