import { Menu as Base } from '@base-ui/react/menu';
import type { ReactElement, ReactNode } from 'react';
import { cx } from './cx.ts';
import { POPUP, POPUP_ITEM } from './popup.ts';

interface MenuProps {
  /** The button that opens it. */
  trigger: ReactElement<Record<string, unknown>>;
  children: ReactNode;
  align?: 'start' | 'end';
  side?: 'top' | 'bottom';
  className?: string;
}

export function Menu({ trigger, children, align = 'end', side = 'bottom', className }: MenuProps) {
  return (
    <Base.Root>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner sideOffset={4} align={align} side={side} className="z-50">
          <Base.Popup className={cx(POPUP, 'min-w-48', className)}>{children}</Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

interface MenuItemProps {
  icon?: ReactNode;
  danger?: boolean;
  disabled?: boolean;
  onClick?: () => void;
  /** For a link. */
  render?: ReactElement<Record<string, unknown>>;
  children: ReactNode;
}

export function MenuItem({ icon, danger, children, ...rest }: MenuItemProps) {
  return (
    <Base.Item
      {...rest}
      className={cx(
        POPUP_ITEM,
        '[&_svg]:size-4 [&_svg]:shrink-0',
        danger ? 'text-danger' : '[&_svg]:text-mute',
      )}
    >
      {icon}
      <span className="min-w-0 flex-1 truncate">{children}</span>
    </Base.Item>
  );
}

export function MenuLine() {
  return <Base.Separator className="my-1 h-px bg-line" />;
}

export function MenuHeading({ children }: { children: ReactNode }) {
  return (
    <Base.Group>
      <Base.GroupLabel className="px-2 py-1 text-xs font-medium text-mute">{children}</Base.GroupLabel>
    </Base.Group>
  );
}
