import { useLive } from '../../api/live.tsx';
import { useScope } from '../../shell/waitlist-scope.ts';
import { Stat, Stats } from '../../ui/card.tsx';
import { PageHeader } from '../../ui/page-header.tsx';

export function OverviewPage() {
  const { waitlistId, environment } = useScope();
  const { counters } = useLive(waitlistId, environment);
  return (
    <>
      <PageHeader title="Overview" />
      <Stats>
        <Stat label="Signups" value={counters?.signups} />
        <Stat label="Waiting" value={counters?.waiting} />
        <Stat label="Invited" value={counters?.invited} />
        <Stat label="Joined" value={counters?.joined} />
      </Stats>
    </>
  );
}
