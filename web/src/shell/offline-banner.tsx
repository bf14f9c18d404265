import { onlineManager } from '@tanstack/react-query';
import { WifiOff } from 'lucide-react';
import { useSyncExternalStore } from 'react';

export function useOnline(): boolean {
  return useSyncExternalStore(
    (listener) => onlineManager.subscribe(listener),
    () => onlineManager.isOnline(),
  );
}

export function OfflineBanner() {
  return (
    <div
      role="status"
      className="flex h-8 items-center justify-center gap-2 bg-ink px-3 text-sm whitespace-nowrap text-canvas"
    >
      <WifiOff className="size-4 shrink-0" aria-hidden />
      <span className="truncate">You are offline. What you see may be out of date.</span>
    </div>
  );
}
