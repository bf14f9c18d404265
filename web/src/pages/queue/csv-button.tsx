import { Download } from 'lucide-react';
import type { EntryStatus } from '../../api/choices.ts';
import { api, call } from '../../api/client.ts';
import { people } from '../../api/entries.ts';
import { useWhyNot } from '../../api/me.ts';
import { BASE_PATH } from '../../base-path.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { DimmableButton } from '../../ui/button.tsx';
import { toast, toastError } from '../../ui/toast.tsx';
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
  const why = useWhyNot('export people', 'admin');
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
  return (
    <DimmableButton why={why} icon={<Download aria-hidden />} busy={busy} onClick={run}>
      CSV
    </DimmableButton>
  );
}
