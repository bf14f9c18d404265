import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { Schemas } from './client.ts';
import { shareStream } from './shared-stream.ts';
import { watchedAs } from './stream.ts';

export interface Counters {
  pending: number;
  waiting: number;
  invited: number;
  joined: number;
  removed: number;
  declined: number;
  signups: number;
}

interface Backlog {
  pending: number;
  failed: number;
}

/** The newest state of each thing that the stream reports. */
export interface Live {
  counters?: Counters;
  delivery?: { webhooks: Backlog; emails: Backlog };
  /** The job that changed last. */
  job?: Job;
  /** The newest jobs, by their id. */
  jobs?: Record<string, Job>;
}

type Job = Schemas['Job'];

export const liveKey = (waitlist: string | undefined, environment: string) => [
  'live',
  waitlist ?? null,
  environment,
];

/** Keeps the waitlist live while it is shown. Use it once, in the layout; read with `useLive`. */
export function useLiveConnection(waitlist: string, environment: string): void {
  const client = useQueryClient();
  useEffect(
    () =>
      shareStream(watchedAs(waitlist, environment), ({ event, data }) => {
        client.setQueryData<Live>(liveKey(waitlist, environment), (now) => ({
          ...now,
          [event]: data,
          ...(event === 'job' ? { jobs: { ...now?.jobs, [(data as Job).id]: data as Job } } : {}),
        }));
      }),
    [client, waitlist, environment],
  );
}

/** What the stream last said about this waitlist, or about the installation without one. */
export function useLive(waitlist: string | undefined, environment: string): Live {
  const { data } = useQuery<Live>({
    queryKey: liveKey(waitlist, environment),
    queryFn: () => ({}),
    enabled: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data ?? {};
}

/** Loads a list again when something happened on the waitlist that may be in it. */
export function useLiveRefetch(
  waitlist: string | undefined,
  environment: string,
  refetch: () => unknown,
): void {
  const { counters, delivery } = useLive(waitlist, environment);
  const seen = useRef({ counters, delivery });
  useEffect(() => {
    const before = seen.current;
    seen.current = { counters, delivery };
    const news = before.counters !== counters || before.delivery !== delivery;
    if (news && (before.counters || before.delivery)) refetch();
  }, [counters, delivery, refetch]);
}
