import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { queryClient } from './api/query-client.ts';
import { router } from './router.tsx';
import { useToastsNeeded } from './ui/toast.tsx';
import { TooltipProvider } from './ui/tooltip.tsx';

const ToastViewport = lazy(() => import('./ui/toast-viewport.tsx'));

export function App() {
  const toasts = useToastsNeeded();
  return (
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queryClient}>
        <TooltipProvider delay={300}>
          <RouterProvider router={router} />
          {toasts && (
            <Suspense>
              <ToastViewport />
            </Suspense>
          )}
        </TooltipProvider>
      </QueryClientProvider>
    </CSPProvider>
  );
}
