import { Toast as Base } from '@base-ui/react/toast';
import { CircleCheck, TriangleAlert, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { ApiError } from '../api/client.ts';
import { buttonClass } from './button.tsx';

const toasts = Base.createToastManager();
const ERROR_MS = 10_000;

/** Says that something was done. */
export function toast(title: string, options: { about?: string; undo?: () => void } = {}): void {
  toasts.add({
    title,
    description: options.about,
    ...(options.undo ? { actionProps: { children: 'Undo', onClick: options.undo } } : {}),
  });
}

/** Says what went wrong, in the words of the API. */
export function toastError(error: unknown): void {
  toasts.add({ title: ApiError.from(error).sentence, type: 'error', priority: 'high', timeout: ERROR_MS });
}

export function ToastProvider({ children }: { children: ReactNode }) {
  return (
    <Base.Provider toastManager={toasts} limit={3}>
      {children}
      <Base.Portal>
        <Base.Viewport className="fixed inset-x-3 bottom-3 z-50 flex flex-col items-center gap-2 outline-none max-md:bottom-20 sm:right-5 sm:left-auto sm:w-96">
          <Toasts />
        </Base.Viewport>
      </Base.Portal>
    </Base.Provider>
  );
}

function Toasts() {
  const { toasts: shown } = Base.useToastManager();
  return shown.map((each) => (
    <Base.Root
      key={each.id}
      toast={each}
      className="popup-motion flex w-full items-start gap-2.5 rounded-lg bg-raised py-2.5 pr-2 pl-3.5 shadow-lg ring-1 ring-line data-[limited]:hidden"
    >
      {each.type === 'error' ? (
        <TriangleAlert className="mt-1 size-4 shrink-0 text-danger" aria-hidden />
      ) : (
        <CircleCheck className="mt-1 size-4 shrink-0 text-accent" aria-hidden />
      )}
      <Base.Content className="min-w-0 flex-1 py-0.5">
        <Base.Title className="font-medium break-words" />
        <Base.Description className="text-sm break-words text-mute" />
      </Base.Content>
      <Base.Action className="rounded-sm px-2 py-1 font-medium text-accent hover:bg-hover" />
      <Base.Close aria-label="Dismiss" className={buttonClass('quiet', 'sm')}>
        <X aria-hidden />
      </Base.Close>
    </Base.Root>
  ));
}
