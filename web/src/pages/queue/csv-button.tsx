import { Download } from 'lucide-react';
import type { EntryStatus } from '../../api/choices.ts';
import { api, call } from '../../api/client.ts';
import { people } from '../../api/entries.ts';
import { useMay } from '../../api/me.ts';
import { BASE_PATH } from '../../base-path.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { Button } from '../../ui/button.tsx';
import { toast, toastError } from '../../ui/toast.tsx';
import { Tooltip } from '../../ui/tooltip.tsx';
import { useAct } from '../../ui/use-act.ts';
import { isEmpty, type Segment } from './segment.ts';
import { conditionsOf } from './segment-words.ts';

interface CsvButtonProps {
  scope: Scope;
  status: EntryStatus | undefined;
  segment: Segment;
}

/** A file of everyone that the table shows, loaded or not. */
export function CsvButton({ scope: { waitlistId, environment }, status, segment }: CsvButtonProps) {
  const may = useMay('admin');
  const { run, busy } = useAct(async () => {
    try {
      const { id, total } = await call(
        api.POST('/admin/v1/waitlists/{waitlistId}/exports', {
          params: { path: { waitlistId }, query: { environment } },
          body: { format: 'csv', status, segment: isEmpty(segment) ? undefined : conditionsOf(segment) },
        }),
      );
      const link = document.createElement('a');
      link.href = `${BASE_PATH}/admin/v1/waitlists/${waitlistId}/exports/${id}/file?${new URLSearchParams({ environment })}`;
      link.download = '';
      link.click();
      toast(total === null ? 'Exporting everyone who matches' : `Exporting ${people(total)}`);
    } catch (error) {
      toastError(error);
    }
  });
  if (may)
    return (
      <Button icon={<Download aria-hidden />} busy={busy} onClick={run}>
        CSV
      </Button>
    );
  return (
    <Tooltip text="Exporting requires the admin role">
      {/* Disabled, it would show no tooltip. */}
      <Button icon={<Download aria-hidden />} idle aria-label="CSV: exporting requires the admin role">
        CSV
      </Button>
    </Tooltip>
  );
}
