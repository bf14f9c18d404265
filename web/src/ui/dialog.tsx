import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { type ReactNode, type RefObject, useRef } from 'react';
import { IconButton } from './button.tsx';
import { cx } from './cx.ts';

interface DialogProps {
  open: boolean;
  onClose: () => void;
  title: ReactNode;
  about?: ReactNode;
  children?: ReactNode;
  /** Buttons, the main one last. */
  actions?: ReactNode;
  wide?: boolean;
  /** The first control by default. */
  initialFocus?: RefObject<HTMLElement | null> | undefined;
}

const BACKDROP = 'backdrop-motion fixed inset-0 z-40 bg-shade';

/** A question or a short form that has to be answered first. */
export function Dialog({ open, onClose, title, about, children, actions, wide, initialFocus }: DialogProps) {
  return (
    <Base.Root open={open} onOpenChange={(next) => next || onClose()}>
      <Base.Portal>
        {/* Also above a drawer, which would otherwise look as near as the dialog. */}
        <Base.Backdrop forceRender className={BACKDROP} />
        <Base.Viewport className="fixed inset-0 z-40 flex items-end justify-center overflow-y-auto p-3 sm:items-center sm:p-6">
          <Base.Popup
            data-dialog
            initialFocus={initialFocus}
            className={cx(
              'popup-motion my-auto flex max-h-full w-full flex-col rounded-xl low:max-h-none bg-raised shadow-lg ring-1 ring-line outline-none',
              wide ? 'max-w-2xl' : 'max-w-md',
            )}
          >
            <div className="flex flex-col gap-1 px-5 pt-5">
              <Base.Title className="text-lg font-semibold break-words">{title}</Base.Title>
              {about && <Base.Description className="text-mute">{about}</Base.Description>}
            </div>
            {children && <div className="min-h-0 overflow-y-auto px-5 pt-4 pb-1">{children}</div>}
            {actions && (
              <div className="flex flex-wrap justify-end gap-2 px-5 pt-4 *:h-auto *:min-h-9 *:max-w-full *:py-1.5 *:whitespace-normal">
                {actions}
              </div>
            )}
            <div className="h-5 shrink-0" />
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  );
}

interface DrawerProps {
  open: boolean;
  onClose: () => void;
  title: ReactNode;
  /** Beside the close button. */
  actions?: ReactNode;
  children: ReactNode;
}

/** Details of one thing beside the list it is from. While it leaves, it shows what it showed last. */
export function Drawer({ open, onClose, ...content }: DrawerProps) {
  const popup = useRef<HTMLDivElement>(null);
  const last = useRef(content);
  if (open) last.current = content;
  const { title, actions, children } = last.current;
  return (
    <Base.Root open={open} onOpenChange={(next) => next || onClose()}>
      <Base.Portal>
        <Base.Backdrop className={BACKDROP} />
        <Base.Popup
          ref={popup}
          initialFocus={popup}
          className="drawer-motion fixed inset-y-0 right-0 z-40 flex w-full max-w-xl flex-col bg-raised shadow-lg ring-1 ring-line outline-none"
        >
          <div className="flex min-h-14 items-center gap-2 border-b px-5 py-2">
            <Base.Title className="min-w-0 flex-1 truncate text-lg font-semibold">{title}</Base.Title>
            {actions}
            <IconButton label="Close" plain onClick={onClose}>
              <X aria-hidden />
            </IconButton>
          </div>
          <div className="min-h-0 flex-1 overflow-y-auto p-5">{children}</div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
