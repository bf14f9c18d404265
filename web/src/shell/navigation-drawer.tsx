import { Dialog } from '@base-ui/react/dialog';
import type { ReactNode } from 'react';

interface NavigationDrawerProps {
  open: boolean;
  onClose: () => void;
  children: ReactNode;
}

/** The sidebar on small screens. */
export default function NavigationDrawer({ open, onClose, children }: NavigationDrawerProps) {
  return (
    <Dialog.Root open={open} onOpenChange={(next) => next || onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop-motion fixed inset-0 z-40 bg-shade" />
        <Dialog.Popup className="drawer-left-motion fixed inset-y-0 left-0 z-40 flex w-72 max-w-[85vw] flex-col bg-surface shadow-lg outline-none">
          <Dialog.Title className="sr-only">Navigation</Dialog.Title>
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
