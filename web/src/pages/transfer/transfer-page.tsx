import { useNavigate, useSearch } from '@tanstack/react-router';
import { useScope } from '../../shell/waitlist-scope.ts';
import { PageHeader } from '../../ui/page-header.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { ExportTab } from './export-tab.tsx';
import { ImportTab } from './import-tab.tsx';

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
          import: () => <ImportTab key={key} scope={scope} />,
          export: () => <ExportTab key={key} scope={scope} />,
        }}
      />
    </>
  );
}
