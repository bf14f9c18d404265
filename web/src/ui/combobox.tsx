import { Combobox as Base } from '@base-ui/react/combobox';
import { Check, ChevronsUpDown } from 'lucide-react';
import { cx } from './cx.ts';
import { CONTROL } from './field.tsx';
import { POPUP, POPUP_ITEM } from './popup.ts';
import type { Option } from './select.tsx';

interface ComboboxProps<T extends string> {
  value: T | null;
  onChange: (value: T | null) => void;
  options: readonly Option<T>[];
  label: string;
  placeholder?: string;
  className?: string;
}

/** A select with a search field. Modal, so that screen readers stay inside while it is open. */
export function Combobox<T extends string>({
  value,
  onChange,
  options,
  label,
  placeholder = 'Search…',
  className,
}: ComboboxProps<T>) {
  const selected = options.find((option) => option.value === value) ?? null;
  return (
    <Base.Root
      items={options}
      value={selected}
      onValueChange={(option) => onChange(option?.value ?? null)}
      isItemEqualToValue={(a, b) => a.value === b.value}
      modal
    >
      <Base.Trigger
        aria-label={label}
        className={cx(CONTROL, 'flex h-9 items-center justify-between gap-2 text-left', className)}
      >
        <span className={cx('truncate', !selected && 'text-mute')}>{selected?.label ?? label}</span>
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
              {(option: Option<T>) => (
                <Base.Item key={option.value} value={option} className={POPUP_ITEM}>
                  <span className="size-4 shrink-0">
                    <Base.ItemIndicator>
                      <Check className="size-4 text-accent" aria-hidden />
                    </Base.ItemIndicator>
                  </span>
                  <span className="truncate">{option.label}</span>
                </Base.Item>
              )}
            </Base.List>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
