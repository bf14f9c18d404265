import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { ApiError } from '../../api/client.ts';
import { mayActAs, useMay, useMe } from '../../api/me.ts';
import { waitlistQuery } from '../../api/waitlists.ts';
import { type Scope, useScope } from '../../shell/waitlist-scope.ts';
import { Alert } from '../../ui/alert.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { cx } from '../../ui/cx.ts';
import { dayIn } from '../../ui/day.ts';
import { PageHeader } from '../../ui/page-header.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { Segments } from '../../ui/segments.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { ActivityCard } from './activity-card.tsx';
import { DeliveryCard } from './delivery-card.tsx';
import { firstStepsQuery } from './first-steps-query.ts';
import { OverviewStats } from './overview-stats.tsx';
import { CUSTOM, DEFAULT_PERIOD, dayAfter, type OverviewSearch, PERIODS, spanOf } from './periods.ts';
import { ReferralsCard } from './referrals-card.tsx';
import { SignupsCard } from './signups-card.tsx';
import type { Statistics } from './statistics-query.ts';
import { useRefreshOnChange } from './use-refresh-on-change.ts';
import { useStatistics } from './use-statistics.ts';

const FirstSteps = lazy(() => import('./first-steps.tsx'));
const FirstSignup = lazy(() => import('./first-signup.tsx'));
const MetadataCard = lazy(() => import('./metadata-card.tsx'));
const RangePicker = lazy(() => import('./range-picker.tsx'));

const CHOICES = [...PERIODS, { value: CUSTOM, label: 'Custom' }] as const;

/** How a waitlist is doing, now and over time. */
export function OverviewPage() {
  const scope = useScope();
  const search = useSearch({ from: '/shell/waitlists/$waitlistId/' });
  const { period = DEFAULT_PERIOD, from, to, compare } = search;
  const navigate = useNavigate({ from: '/waitlists/$waitlistId/' });
  const set = (change: OverviewSearch, replace = false) =>
    void navigate({ search: (now) => ({ ...now, ...change }), replace, resetScroll: false });
  const settings = useQuery(waitlistQuery(scope));
  const waitlist = settings.data;
  const { query, timeZone, counters, delivery, isOfBefore, totals } = useStatistics(scope, search);
  const ownSteps = useOwnSteps(scope, counters);
  const { label } = spanOf(search, timeZone);
  const today = dayIn(timeZone);
  const metadataKeys = waitlist?.metadataKeys ?? [];
  const seesMetadata = useMay('support');
  const last30Days = { from: dayAfter(today, -29), to: today };
  return (
    <>
      <PageHeader
        title="Overview"
        about={
          <span className="flex min-h-5.5 items-center gap-2">
            <span className="truncate">{waitlist?.name}</span>
            {waitlist && waitlist.closedAt !== null && <Badge>Closed</Badge>}
          </span>
        }
        actions={
          <Segments
            label="Period"
            value={period}
            options={CHOICES}
            onChange={(next) =>
              set({
                period: next === DEFAULT_PERIOD ? undefined : next,
                ...(next === CUSTOM ? last30Days : { from: undefined, to: undefined }),
              })
            }
          />
        }
      />
      {period === CUSTOM && (
        <Suspense>
          <RangePicker
            {...last30Days}
            today={today}
            {...(from && to ? { from, to } : {})}
            onChange={(range) => set(range, true)}
          />
        </Suspense>
      )}
      {settings.isError && !waitlist && (
        <Alert title="The settings of this waitlist could not be loaded">
          {ApiError.from(settings.error).sentence} Pending people and counted metadata are not shown.
          <span className="mt-2 block">
            <Button size="sm" busy={settings.isFetching} onClick={() => void settings.refetch()}>
              Try again
            </Button>
          </span>
        </Alert>
      )}
      <OverviewStats
        confirmEmails={waitlist?.confirmEmails ?? false}
        counters={counters}
        totals={totals}
        isError={query.isError}
        period={label}
      />
      {ownSteps.some(({ done }) => !done) && (
        <Suspense>
          <FirstSteps scope={scope} steps={ownSteps} />
        </Suspense>
      )}
      {counters?.signups === 0 ? (
        <Suspense>
          <FirstSignup {...scope} />
        </Suspense>
      ) : (
        <QueryProblem framed query={query}>
          <div aria-busy={isOfBefore} className={cx('flex flex-col gap-6', isOfBefore && 'opacity-50')}>
            <SignupsCard
              statistics={query.data}
              noneIn={totals?.signups === 0 ? (period === CUSTOM ? label : `the last ${label}`) : undefined}
              isCompared={compare !== undefined}
              onCompare={(next) => set({ compare: next ? '1' : undefined })}
            />
            <div className="grid gap-6 lg:grid-cols-2">
              <ActivityCard statistics={query.data} />
              <ReferralsCard statistics={query.data} />
              {seesMetadata && <MetadataCards names={metadataKeys} statistics={query.data} />}
              <DeliveryCard statistics={query.data} live={delivery} />
            </div>
            {!seesMetadata && metadataKeys.length > 0 && (
              <p className="text-sm text-mute">
                Your role does not show metadata, nor how many signups had a value.
              </p>
            )}
          </div>
        </QueryProblem>
      )}
    </>
  );
}

/** One for each metadata key that is counted. */
function MetadataCards({ names, statistics }: { names: string[]; statistics: Statistics | undefined }) {
  return names.map((name) => (
    <Suspense
      key={name}
      fallback={
        <Card>
          <Skeleton className="h-68" />
        </Card>
      }
    >
      <MetadataCard name={name} statistics={statistics} />
    </Suspense>
  ));
}

/** The first steps that the operator can do. None once they were dismissed. */
function useOwnSteps(scope: Scope, counters: object | undefined) {
  const { role } = useMe();
  const { data } = useQuery({ ...firstStepsQuery(scope), enabled: role !== 'viewer' });
  useRefreshOnChange(['first-steps', scope.waitlistId, scope.environment], counters);
  return data && !data.dismissed ? data.steps.filter((step) => mayActAs(role, step.role)) : [];
}
