import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, call, callTagged, ifMatch, type Schemas, type Tagged } from '../../api/client.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import type { Tone } from '../../ui/badge.tsx';
import { number } from '../../ui/number.ts';
import { conditionsIn } from '../queue/segment-words.ts';

export type Wave = Schemas['Wave'];
export type WaveDetails = Tagged<Schemas['WaveDetails']>;
export type WaveRun = Schemas['WaveRun'];
export type WaveForecast = Schemas['WaveForecast'];
export type WaveRequest = Schemas['WaveRequest'];
export type WaveSchedule = NonNullable<Wave['schedule']>;
export type WaveChange = Schemas['WaveChange'];

export const STATE_TONES: Record<Wave['state'], Tone> = {
  scheduled: 'sky',
  running: 'violet',
  paused: 'warn',
  done: 'accent',
  stopped: 'neutral',
};

const RUNNING_MS = 1_000;
const WAITING_MS = 15_000;
const PAGE = 50;

export const wavesKey = ({ waitlistId, environment }: Scope) => ['waves', waitlistId, environment];
const paramsOf = ({ waitlistId, environment }: Scope) => ({
  path: { waitlistId },
  query: { environment },
});
const paramsOfOne = ({ waitlistId, environment }: Scope, waveId: string) => ({
  path: { waitlistId, waveId },
  query: { environment },
});

export const wavesQuery = (scope: Scope) =>
  infiniteQueryOptions({
    queryKey: [...wavesKey(scope), 'list'],
    queryFn: ({ pageParam: cursor }: { pageParam: string | undefined }) =>
      call(
        api.GET('/admin/v1/waitlists/{waitlistId}/waves', {
          params: {
            path: { waitlistId: scope.waitlistId },
            query: { environment: scope.environment, limit: PAGE, cursor },
          },
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    refetchInterval: WAITING_MS,
  });

export const waveQuery = (scope: Scope, waveId: string) =>
  queryOptions({
    queryKey: [...wavesKey(scope), waveId],
    queryFn: () =>
      callTagged(
        api.GET('/admin/v1/waitlists/{waitlistId}/waves/{waveId}', { params: paramsOfOne(scope, waveId) }),
      ),
    refetchInterval: ({ state: { data } }) => (data?.state === 'running' ? RUNNING_MS : WAITING_MS),
  });

/** What a plan would do, with the plan that it is about. */
export const forecastQuery = (scope: Scope, plan: WaveRequest | undefined) =>
  queryOptions({
    queryKey: [...wavesKey(scope), 'forecast', plan],
    enabled: plan !== undefined,
    retry: false,
    queryFn: async ({ signal }) => {
      const params = paramsOf(scope);
      const body = { ...(plan as WaveRequest), dryRun: true };
      const asked = api.POST('/admin/v1/waitlists/{waitlistId}/waves', { params, body, signal });
      return { plan, ...((await call(asked)) as WaveForecast) };
    },
  });

export async function createWave(scope: Scope, body: WaveRequest): Promise<Wave> {
  const params = paramsOf(scope);
  return (await call(api.POST('/admin/v1/waitlists/{waitlistId}/waves', { params, body }))) as Wave;
}

export function updateWave(scope: Scope, waveId: string, body: WaveChange, etag?: string) {
  const params = { ...paramsOfOne(scope, waveId), ...ifMatch(etag) };
  return callTagged(api.PATCH('/admin/v1/waitlists/{waitlistId}/waves/{waveId}', { params, body }));
}

export function stopWave(scope: Scope, waveId: string): Promise<Wave> {
  const params = paramsOfOne(scope, waveId);
  return call(api.DELETE('/admin/v1/waitlists/{waitlistId}/waves/{waveId}', { params }));
}

export const isOver = ({ state }: Pick<Wave, 'state'>) => state === 'done' || state === 'stopped';

/** "500 each weekday at 09:00, Europe/Berlin" */
export function planInWords({ count, keepOpen, schedule, damaged }: Wave): string {
  if (damaged) return 'Damaged plan';
  if (!schedule)
    return keepOpen === 1 ? 'Keeps 1 invite open' : `Keeps ${number(keepOpen ?? 0)} invites open`;
  const who = count === null ? 'Everyone' : `Up to ${number(count)}`;
  const { repeat, date, time, timeZone } = schedule;
  const from = repeat === 'once' || date === undefined ? '' : ` from ${date}`;
  return `${who} ${daysInWords(schedule)}${from} at ${time}, ${zoneName(timeZone)}`;
}

/** Viewers do not see metadata, so a segment can be empty for them. */
export function whoInWords({ segment, quotas }: Wave): string {
  if (segment) return `Only people who match: ${conditionsInWords(segment)}.`;
  if (quotas.length === 0) return '';
  const rest = 100 - quotas.reduce((sum, { percent }) => sum + percent, 0);
  const parts = quotas.map((quota) => `${quota.percent}%: ${conditionsInWords(quota.segment)}`);
  return `${[...parts, ...(rest > 0 ? [`${rest}%: everyone else`] : [])].join('; ')}.`;
}

function conditionsInWords({ minReferrals, ...rest }: NonNullable<Wave['segment']>): string {
  const least = minReferrals === undefined ? undefined : String(minReferrals);
  const words = conditionsIn({ ...rest, minReferrals: least }).map(({ label }) => label);
  return words.join(' · ') || 'hidden conditions';
}

function daysInWords({ repeat, date = '', days = [], dayOfMonth = 1 }: WaveSchedule): string {
  if (repeat === 'once') return `on ${date}`;
  if (repeat === 'daily') return 'every day';
  if (repeat === 'monthly')
    return dayOfMonth === 31 ? 'on the last of a month' : `on day ${dayOfMonth} of a month`;
  const isWorkweek = days.length === 5 && !days.includes('saturday') && !days.includes('sunday');
  return isWorkweek
    ? 'each weekday'
    : `on ${days.map((day) => day.slice(0, 1).toUpperCase() + day.slice(1, 3)).join(', ')}`;
}

export const zoneName = (timeZone: string) => timeZone.replaceAll('_', ' ');
