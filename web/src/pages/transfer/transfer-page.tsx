import { useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { useScope } from '../../shell/waitlist-scope.ts';
import { PageHeader } from '../../ui/page-header.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Tabs } from '../../ui/tabs.tsx';

const ImportTab = lazy(async () => ({ default: (await import('./import-tab.tsx')).ImportTab }));
const ExportTab = lazy(async () => ({ default: (await import('./export-tab.tsx')).ExportTab }));

const TABS = [
  { value: 'import', label: 'Import' },
  { value: 'export', label: 'Export' },
] as const;

/** People into a waitlist and out of it, as files. */
export function TransferPage() {
  const scope = useScope();
  const { tab = 'import' } = useSearch({ from: '/shell/waitlists/$waitlistId/transfer' });
  const navigate = useNavigate({ from: '/waitlists/$waitlistId/transfer' });
  const key = `${scope.waitlistId} ${scope.environment}`;
  return (
    <>
      <PageHeader
        title="Import and export"
        about="Move people in and out as files, from and to any other tool."
      />
      <Tabs
        label="Import and export"
        value={tab}
        tabs={TABS}
        onChange={(next) =>
          void navigate({
            search: (now) => ({ ...now, tab: next === 'import' ? undefined : next }),
          })
        }
        panels={{
          import: () => (
            <Suspense fallback={<Skeleton className="h-60 w-full" />}>
              <ImportTab key={key} scope={scope} />
            </Suspense>
          ),
          export: () => (
            <Suspense fallback={<Skeleton className="h-60 w-full" />}>
              <ExportTab key={key} scope={scope} />
            </Suspense>
          ),
        }}
      />
    </>
  );
}
