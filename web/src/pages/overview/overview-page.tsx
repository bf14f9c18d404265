import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { ApiError } from '../../api/client.ts';
import { instanceQuery } from '../../api/instance.ts';
import { useLive } from '../../api/live.tsx';
import { mayActAs, useMay, useMe } from '../../api/me.ts';
import { waitlistQuery } from '../../api/waitlists.ts';
import { type Scope, useScope } from '../../shell/waitlist-scope.ts';
import { Alert } from '../../ui/alert.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card, Stat, Stats } from '../../ui/card.tsx';
import { cx } from '../../ui/cx.ts';
import { dayIn } from '../../ui/day.ts';
import { PageHeader } from '../../ui/page-header.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { Segments } from '../../ui/segments.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { ActivityCard } from './activity-card.tsx';
import { DeliveryCard } from './delivery-card.tsx';
import { firstStepsQuery } from './first-steps-query.ts';
import { CUSTOM, DEFAULT_PERIOD, dayAfter, type OverviewSearch, PERIODS, spanOf } from './periods.ts';
import { ReferralsCard } from './referrals-card.tsx';
import { SignupsChart } from './signups-chart.tsx';
import { statisticsQuery } from './statistics-query.ts';
import { useRefreshOnChange } from './use-refresh-on-change.ts';

const FirstSteps = lazy(() => import('./first-steps.tsx'));
const FirstSignup = lazy(() => import('./first-signup.tsx'));
const ComparedChart = lazy(() => import('./compared-chart.tsx'));
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
  const live = useLive(scope.waitlistId, scope.environment);
  const instance = useQuery(instanceQuery);
  const timeZone = instance.data?.defaultTimeZone ?? 'UTC';
  const query = useQuery({
    ...statisticsQuery(scope, search, timeZone),
    enabled: !instance.isPending,
  });
  useRefreshOnChange(['statistics', scope.waitlistId, scope.environment], live.counters);
  const { counters } = live;
  const ownSteps = useOwnSteps(scope, counters);
  const now = (name: keyof NonNullable<typeof counters>) =>
    counters?.[name] ?? (query.isError ? null : undefined);
  const { label } = spanOf(search, timeZone);
  const today = dayIn(timeZone);
  const last30Days = { from: dayAfter(today, -29), to: today };
  const within = (count: number | undefined, what = '') =>
    count === undefined ? '\u00a0' : `${count.toLocaleString('en')} ${what}in ${label}`;
  const invites = (count: number | undefined, what: 'sent' | 'accepted') => (
    // On a phone it takes two lines, also while it is loading.
    <span className="block max-md:min-h-[2lh]">
      {within(count, `${count === 1 ? 'invite' : 'invites'} ${what} `)}
    </span>
  );
  /** Anyone can be invited. Only people on the waitlist are counted as joined. */
  const others = (count: number | undefined) =>
    count !== undefined &&
    counters &&
    count > counters.joined && <span className="block">Counts people who are not on the waitlist, too.</span>;
  const isOfBefore = query.isPlaceholderData;
  const totals = isOfBefore ? undefined : query.data?.totals;
  const seesMetadata = useMay('support');
  const keys = waitlist?.metadataKeys ?? [];
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
      <Stats>
        <Stat label="Signups" value={now('signups')} about={within(totals?.signups)} />
        {waitlist?.confirmEmails && <Stat label="Pending" value={now('pending')} about="Asked to confirm" />}
        <Stat label="Waiting" value={now('waiting')} about="In line now" />
        <Stat label="Invited" value={now('invited')} about={invites(totals?.invited, 'sent')} />
        <Stat
          label="Joined"
          value={now('joined')}
          about={
            <>
              {invites(totals?.accepted, 'accepted')}
              {others(totals?.accepted)}
            </>
          }
        />
      </Stats>
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
            <Card
              title="Signups"
              actions={
                <Button
                  size="sm"
                  look="quiet"
                  aria-pressed={compare !== undefined}
                  className={compare ? 'bg-hover' : ''}
                  onClick={() => set({ compare: compare ? undefined : '1' })}
                >
                  Compare periods
                </Button>
              }
            >
              {!query.data ? (
                <Skeleton className="h-68" />
              ) : totals?.signups === 0 && !compare ? (
                <p className="flex h-68 items-center justify-center text-mute">
                  No signups in {period === CUSTOM ? label : `the last ${label}`}.
                </p>
              ) : compare ? (
                <Suspense fallback={<Skeleton className="h-68" />}>
                  <ComparedChart statistics={query.data} />
                </Suspense>
              ) : (
                <SignupsChart statistics={query.data} />
              )}
            </Card>
            <div className="grid gap-6 lg:grid-cols-2">
              <ActivityCard statistics={query.data} />
              <ReferralsCard statistics={query.data} />
              {seesMetadata &&
                keys.map((key) => (
                  <Suspense
                    key={key}
                    fallback={
                      <Card>
                        <Skeleton className="h-68" />
                      </Card>
                    }
                  >
                    <MetadataCard name={key} statistics={query.data} />
                  </Suspense>
                ))}
              <DeliveryCard statistics={query.data} live={live.delivery} />
            </div>
            {!seesMetadata && keys.length > 0 && (
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

/** The first steps that the operator can do. None once they were dismissed. */
function useOwnSteps(scope: Scope, counters: object | undefined) {
  const { role } = useMe();
  const { data } = useQuery({ ...firstStepsQuery(scope), enabled: role !== 'viewer' });
  useRefreshOnChange(['first-steps', scope.waitlistId, scope.environment], counters);
  return data && !data.dismissed ? data.steps.filter((step) => mayActAs(role, step.role)) : [];
}
