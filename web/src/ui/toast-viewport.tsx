import { Toast as Base } from '@base-ui/react/toast';
import { CircleCheck, TriangleAlert, X } from 'lucide-react';
import { useEffect } from 'react';
import { buttonClass } from './button.tsx';
import { cx } from './cx.ts';
import { connectToasts } from './toast.tsx';

const SHOWN_MS = 5_000;
const ERROR_MS = 10_000;

/** Where toasts appear: never on the buttons of a dialog or of unsaved changes. */
export default function ToastViewport() {
  return (
    <Base.Provider limit={3}>
      <Base.Portal>
        <Base.Viewport className="fixed inset-x-3 bottom-3 z-50 flex flex-col items-center gap-2 outline-none sm:right-5 sm:bottom-5 sm:left-auto sm:w-96 [body:has([data-save-bar])_&]:bottom-24 max-sm:[body:has([data-save-bar])_&]:bottom-32 [body:has([data-dialog])_&]:top-3 [body:has([data-dialog])_&]:bottom-auto!">
          <Toasts />
        </Base.Viewport>
      </Base.Portal>
    </Base.Provider>
  );
}

function Toasts() {
  const { toasts, add, close } = Base.useToastManager();
  useEffect(
    () =>
      connectToasts(({ title, about, undo, error, warn }) => {
        // It says what is no longer so.
        const act = () => {
          close(id);
          undo?.();
        };
        const id = add({
          title,
          description: about,
          timeout: error || warn ? ERROR_MS : SHOWN_MS,
          ...(warn ? { type: 'warn' } : {}),
          ...(error ? { type: 'error', priority: 'high' as const } : {}),
          ...(undo ? { actionProps: { children: 'Undo', onClick: act } } : {}),
        });
      }, close),
    [add, close],
  );
  return toasts.map((each) => (
    <Base.Root
      key={each.id}
      toast={each}
      className="popup-motion flex w-full items-start gap-2.5 rounded-lg bg-raised py-2.5 pr-2 pl-3.5 shadow-lg ring-1 ring-line data-[limited]:hidden"
    >
      {each.type === 'error' || each.type === 'warn' ? (
        <TriangleAlert
          className={cx('mt-1 size-4 shrink-0', each.type === 'warn' ? 'text-warn' : 'text-danger')}
          aria-hidden
        />
      ) : (
        <CircleCheck className="mt-1 size-4 shrink-0 text-accent" aria-hidden />
      )}
      <Base.Content className="min-w-0 flex-1 py-0.5">
        <Base.Title className="font-medium break-words" />
        <Base.Description className="text-sm break-words text-mute" />
      </Base.Content>
      <Base.Action className="rounded-sm px-2 py-1 font-medium text-accent hover:bg-hover" />
      <Base.Close aria-label="Dismiss" aria-hidden={false} className={buttonClass('quiet', 'sm')}>
        <X aria-hidden />
      </Base.Close>
    </Base.Root>
  ));
}
