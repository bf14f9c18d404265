import { Combobox as Base } from '@base-ui/react/combobox';
import { Check, ChevronsUpDown } from 'lucide-react';
import { cx } from './cx.ts';
import { CONTROL } from './field.tsx';
import { POPUP, POPUP_ITEM } from './popup.ts';

interface MultiComboboxProps {
  values: readonly string[];
  onChange: (values: string[]) => void;
  options: readonly string[];
  /** Its name. */
  label: string;
  /** What the closed control says. */
  summary: string;
  placeholder?: string;
  className?: string;
}

/** Chooses any number of texts, with a search field. */
export function MultiCombobox({
  values,
  onChange,
  options,
  label,
  summary,
  placeholder = 'Search…',
  className,
}: MultiComboboxProps) {
  return (
    <Base.Root items={options} value={[...values]} onValueChange={onChange} multiple modal>
      <Base.Trigger
        aria-label={label}
        className={cx(CONTROL, 'flex h-9 items-center justify-between gap-2 text-left', className)}
      >
        <span className={cx('truncate', values.length === 0 && 'text-mute')}>{summary}</span>
        <ChevronsUpDown className="size-3.5 shrink-0 text-mute" aria-hidden />
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner sideOffset={4} className="z-50">
          <Base.Popup aria-label={label} className={cx(POPUP, 'p-0!')}>
            <Base.Input
              aria-label={placeholder}
              placeholder={placeholder}
              className="h-10 w-full border-b bg-transparent px-3 outline-none placeholder:text-mute max-md:text-lg"
            />
            <Base.Empty className="px-3 py-2 text-sm text-mute empty:hidden">Nothing found.</Base.Empty>
            <Base.List className="p-1 empty:hidden">
              {(option: string) => (
                <Base.Item key={option} value={option} className={POPUP_ITEM}>
                  <span className="size-4 shrink-0">
                    <Base.ItemIndicator>
                      <Check className="size-4 text-accent" aria-hidden />
                    </Base.ItemIndicator>
                  </span>
                  <span className="truncate" dir="auto">
                    {option.slice(0, 64)}
                  </span>
                </Base.Item>
              )}
            </Base.List>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
