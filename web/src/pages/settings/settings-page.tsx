import { useQuery, useQueryClient } from '@tanstack/react-query';
import { waitlistQuery } from '../../api/waitlists.ts';
import { useScope } from '../../shell/waitlist-scope.ts';
import { PageHeader } from '../../ui/page-header.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { SkeletonForms } from '../../ui/skeleton.tsx';
import { DangerZone } from './danger-zone.tsx';
import { RulesCard } from './rules-card.tsx';
import { WaitlistSettingsForm } from './waitlist-settings-form.tsx';

export function SettingsPage() {
  const scope = useScope();
  const { waitlistId, environment } = scope;
  const client = useQueryClient();
  const query = useQuery(waitlistQuery({ waitlistId, environment }));
  const refresh = () =>
    Promise.all([
      client.invalidateQueries({ queryKey: ['waitlist', waitlistId] }),
      client.invalidateQueries({ queryKey: ['waitlists'] }),
      client.invalidateQueries({ queryKey: ['mail-status', waitlistId] }),
    ]);
  return (
    <>
      <PageHeader title="Settings" about={waitlistId} />
      <QueryProblem framed query={query}>
        {query.data === undefined ? (
          <SkeletonForms narrow cards={[[1, 1], [1, 1], [1, 1], [1], [1]]} />
        ) : (
          <div className="flex flex-col gap-6">
            <WaitlistSettingsForm
              key={waitlistId}
              waitlist={query.data}
              environment={environment}
              onSaved={refresh}
            />
            <RulesCard scope={scope} />
            <DangerZone waitlist={query.data} onChanged={refresh} />
          </div>
        )}
      </QueryProblem>
    </>
  );
}
