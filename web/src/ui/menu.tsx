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
  /** Who may do it, if not the one who looks at it. Then it is disabled. */
  why?: string | undefined;
  onClick?: () => void;
  /** For a link. */
  render?: ReactElement<Record<string, unknown>>;
  children: ReactNode;
}

export function MenuItem({ icon, danger, disabled, why, children, ...rest }: MenuItemProps) {
  return (
    <Base.Item
      {...rest}
      disabled={disabled || why !== undefined}
      className={cx(
        POPUP_ITEM,
        '[&_svg]:size-4 [&_svg]:shrink-0',
        danger ? 'text-danger' : '[&_svg]:text-mute',
      )}
    >
      {icon}
      <span className="min-w-0 flex-1">
        <span className="block truncate">{children}</span>
        {why !== undefined && <span className="block max-w-56 text-xs whitespace-normal">{why}</span>}
      </span>
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
