import { Select as Base } from '@base-ui/react/select';
import { Check, ChevronsUpDown } from 'lucide-react';
import type { ReactNode } from 'react';
import { cx } from './cx.ts';
import { CONTROL } from './field.tsx';
import { POPUP, POPUP_ITEM } from './popup.ts';

export interface Option<T extends string> {
  value: T;
  label: string;
  /** A second line. */
  about?: ReactNode;
}

interface SelectProps<T extends string> {
  value: T;
  onChange: (value: T) => void;
  options: readonly Option<T>[];
  /** Its name where there is no label around it. */
  label?: string;
  disabled?: boolean;
  className?: string;
}

export function Select<T extends string>({
  value,
  onChange,
  options,
  label,
  className,
  disabled,
}: SelectProps<T>) {
  return (
    <Base.Root
      items={options}
      value={value}
      onValueChange={(next) => onChange(next as T)}
      {...(disabled ? { disabled } : {})}
    >
      <Base.Trigger
        aria-label={label}
        className={cx(CONTROL, 'flex h-9 items-center justify-between gap-2 text-left', className)}
      >
        <Base.Value className="truncate" />
        <Base.Icon>
          <ChevronsUpDown className="size-3.5 text-mute" aria-hidden />
        </Base.Icon>
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner sideOffset={4} alignItemWithTrigger={false} className="z-50">
          <Base.Popup className={POPUP}>
            {options.map((option) => (
              <Base.Item key={option.value} value={option.value} className={POPUP_ITEM}>
                <span className="size-4 shrink-0">
                  <Base.ItemIndicator>
                    <Check className="size-4 text-accent" aria-hidden />
                  </Base.ItemIndicator>
                </span>
                <span className="flex min-w-0 flex-col">
                  <Base.ItemText className="truncate">{option.label}</Base.ItemText>
                  {option.about && <span className="max-w-72 text-sm text-mute">{option.about}</span>}
                </span>
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
