import { Checkbox as BaseCheckbox } from '@base-ui/react/checkbox';
import { Switch as BaseSwitch } from '@base-ui/react/switch';
import { Check } from 'lucide-react';
import type { ReactNode } from 'react';

interface ToggleProps {
  label: ReactNode;
  help?: ReactNode;
  checked: boolean;
  onChange: (checked: boolean) => void;
  disabled?: boolean;
}

interface SwitchProps extends ToggleProps {
  /** It cannot be changed right now. Disabled, it would lose the focus. */
  readOnly?: boolean;
}

export function Checkbox({ label, help, checked, onChange, disabled = false }: ToggleProps) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: Base UI puts its input inside.
    <label className="flex items-start gap-2.5">
      <BaseCheckbox.Root
        checked={checked}
        onCheckedChange={onChange}
        disabled={disabled}
        className="mt-0.5 flex size-4.5 shrink-0 items-center justify-center rounded-sm bg-surface ring-1 ring-inset ring-edge data-[checked]:bg-accent data-[checked]:ring-accent data-[disabled]:opacity-50"
      >
        <BaseCheckbox.Indicator>
          <Check className="size-3.5 text-on-accent" strokeWidth={3} aria-hidden />
        </BaseCheckbox.Indicator>
      </BaseCheckbox.Root>
      <ToggleText label={label} help={help} />
    </label>
  );
}

export function Switch({ label, help, checked, onChange, ...rest }: SwitchProps) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: Base UI puts its input inside.
    <label className="flex items-start justify-between gap-4">
      <ToggleText label={label} help={help} />
      <BaseSwitch.Root
        {...rest}
        checked={checked}
        onCheckedChange={onChange}
        className="mt-0.5 flex h-5 w-9 shrink-0 rounded-full bg-edge p-0.5 transition-colors data-[checked]:bg-accent data-[disabled]:opacity-50"
      >
        <BaseSwitch.Thumb className="size-4 rounded-full bg-white shadow-sm transition-transform data-[checked]:translate-x-4" />
      </BaseSwitch.Root>
    </label>
  );
}

function ToggleText({ label, help }: Pick<ToggleProps, 'label' | 'help'>) {
  return (
    <span className="flex min-w-0 flex-col">
      <span>{label}</span>
      {help && <span className="text-sm text-mute">{help}</span>}
    </span>
  );
}
