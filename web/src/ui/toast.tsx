import { useSyncExternalStore } from 'react';
import { ApiError } from '../api/client.ts';

/** What a toast shows. */
interface ToastRequest {
  title: string;
  about?: string | undefined;
  undo?: (() => void) | undefined;
  error?: boolean;
  /** It was done, but not as one may think. */
  warn?: boolean | undefined;
}

const waiting: ToastRequest[] = [];
const listeners = new Set<() => void>();
let needed = false;
let show: ((request: ToastRequest) => void) | undefined;
let closeAll: (() => void) | undefined;

/** Says that something was done. */
export function toast(title: string, options: Pick<ToastRequest, 'about' | 'undo' | 'warn'> = {}): void {
  send({ title, ...options });
}

/** Says what went wrong, in the words of the API. */
export function toastError(error: unknown): void {
  send({ title: ApiError.from(error).sentence, error: true });
}

function send(request: ToastRequest): void {
  if (show) {
    show(request);
    return;
  }
  waiting.push(request);
  needed = true;
  for (const listener of listeners) listener();
}

/** For what is no longer so. */
export function closeToasts(): void {
  waiting.length = 0;
  closeAll?.();
}

/** For the part of the page that shows them, which is loaded with the first toast. */
export function connectToasts(shower: (request: ToastRequest) => void, closer: () => void): () => void {
  show = shower;
  closeAll = closer;
  for (const request of waiting.splice(0)) shower(request);
  return () => {
    show = undefined;
    closeAll = undefined;
  };
}

export function useToastsNeeded(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => needed,
  );
}
