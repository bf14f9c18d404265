import { Loader2 } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import { cx } from './cx.ts';
import { Tooltip } from './tooltip.tsx';

type Look = 'primary' | 'secondary' | 'quiet' | 'danger';
type Size = 'sm' | 'md' | 'lg';

const LOOKS: Record<Look, string> = {
  primary: 'bg-accent text-on-accent hover:bg-accent-strong shadow-sm',
  secondary: 'bg-surface text-ink ring-1 ring-inset ring-edge/50 hover:bg-hover shadow-sm',
  quiet: 'text-ink hover:bg-hover',
  danger: 'bg-danger-fill text-on-danger hover:brightness-95 shadow-sm',
};
const SIZES: Record<Size, string> = {
  sm: 'h-8 px-2.5 text-sm gap-1.5',
  md: 'h-9 px-3.5 text-base gap-2',
  lg: 'h-11 px-5 text-lg gap-2',
};

/** For a link that looks like a button. */
export function buttonClass(look: Look = 'secondary', size: Size = 'md'): string {
  return cx(
    'inline-flex shrink-0 items-center justify-center rounded-md font-medium whitespace-nowrap select-none transition-colors active:brightness-95',
    'disabled:cursor-not-allowed disabled:opacity-55 aria-disabled:cursor-not-allowed aria-disabled:opacity-55 [&_svg]:size-4 [&_svg]:shrink-0',
    LOOKS[look],
    SIZES[size],
  );
}

interface ButtonProps extends ComponentProps<'button'> {
  look?: Look;
  size?: Size;
  /** Shows that it is working, and takes no further clicks. Like an idle one, it keeps the focus. */
  busy?: boolean | undefined;
  /** There is nothing for it to do, such as after saving. Disabled, it would lose the focus of whoever pressed it. */
  idle?: boolean | undefined;
  icon?: ReactNode;
}

export function Button({ look, size, busy, idle, icon, className, children, onClick, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      aria-disabled={busy || idle || undefined}
      aria-busy={busy || undefined}
      onClick={busy || idle ? (event) => event.preventDefault() : onClick}
      className={cx(buttonClass(look, size), className)}
    >
      {busy ? <Loader2 className="animate-spin" aria-hidden /> : icon}
      {children}
    </button>
  );
}

/** A button that stays in sight for those who may not use it, and says who may. */
export function DimmableButton({ why, children, ...rest }: ButtonProps & { why: string | undefined }) {
  if (why === undefined) return <Button {...rest}>{children}</Button>;
  const text = [children].flat().find((child) => typeof child === 'string');
  const { 'aria-label': label = text?.trim() } = rest;
  return (
    <Tooltip text={why}>
      {/* Disabled, it would show no tooltip. */}
      <Button {...rest} idle aria-label={label && `${label}: ${why}`}>
        {children}
      </Button>
    </Tooltip>
  );
}

interface IconButtonProps extends Omit<ButtonProps, 'children' | 'icon'> {
  /** Its name, also shown as a tooltip. */
  label: string;
  /** For a symbol that everyone knows. Escape would close the tooltip first, and a drawer only the second time. */
  plain?: boolean;
  children: ReactNode;
}

export function IconButton({
  label,
  look = 'quiet',
  size = 'md',
  plain,
  className,
  children,
  ...rest
}: IconButtonProps) {
  const button = (
    <button
      type="button"
      {...rest}
      aria-label={label}
      className={cx(
        buttonClass(look, size),
        size === 'sm' ? 'w-8' : 'w-9',
        'px-0! text-mute hover:text-ink',
        className,
      )}
    >
      {children}
    </button>
  );
  return plain ? button : <Tooltip text={label}>{button}</Tooltip>;
}
