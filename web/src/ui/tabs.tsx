import { Tabs as Base } from '@base-ui/react/tabs';
import { type ReactNode, useEffect, useRef, useState } from 'react';
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
  /** What each tab shows. Without it, the tabs only choose or filter what is below. */
  panels?: Record<T, () => ReactNode>;
}

export function Tabs<T extends string>({ value, onChange, tabs, label, panels }: TabsProps<T>) {
  const list = useRef<HTMLDivElement>(null);
  // What was typed on a tab is still there after a look at another one.
  const [visited, setVisited] = useState<readonly T[]>([value]);
  if (!visited.includes(value)) setVisited([...visited, value]);
  // Counts that come later make tabs wider, and push the chosen one out of sight on small screens.
  const widths = tabs.map(({ count }) => count ?? '').join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the choice or a width changes.
  useEffect(() => {
    const chosen = list.current?.querySelector<HTMLElement>('[data-active]');
    if (!chosen || !list.current) return;
    const { scrollLeft, clientWidth } = list.current;
    const end = chosen.offsetLeft + chosen.offsetWidth;
    if (chosen.offsetLeft < scrollLeft || end > scrollLeft + clientWidth)
      list.current.scrollLeft = end - clientWidth;
  }, [value, widths]);
  return (
    <Base.Root value={value} onValueChange={(next) => onChange(next as T)}>
      <Base.List
        ref={list}
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
      {panels &&
        tabs.map(
          (tab) =>
            visited.includes(tab.value) && (
              <Base.Panel key={tab.value} value={tab.value} keepMounted className="outline-offset-4">
                <div className="flex flex-col gap-6 pt-6">{panels[tab.value]()}</div>
              </Base.Panel>
            ),
        )}
    </Base.Root>
  );
}
