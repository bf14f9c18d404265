import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { BASE_PATH } from '../base-path.ts';
import { api, call, type Schemas } from './client.ts';

export interface Counters {
  pending: number;
  waiting: number;
  invited: number;
  joined: number;
  removed: number;
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

const EVENTS = ['counters', 'delivery', 'job'] as const;
const REOPEN_MS = 15_000;

export const liveKey = (waitlist: string | undefined, environment: string) => [
  'live',
  waitlist ?? null,
  environment,
];

/** Keeps one connection open while the waitlist is shown. Use it once, in the layout; read with `useLive`. */
export function useLiveConnection(waitlist: string | undefined, environment: string): void {
  const client = useQueryClient();
  useEffect(() => {
    let source: EventSource | undefined;
    let reopening: ReturnType<typeof setTimeout> | undefined;
    const open = () => {
      const query = new URLSearchParams(waitlist === undefined ? {} : { waitlist, environment });
      source = new EventSource(`${BASE_PATH}/admin/v1/stream?${query}`);
      for (const event of EVENTS) {
        source.addEventListener(event, ({ data }: MessageEvent<string>) => {
          const news = JSON.parse(data);
          client.setQueryData<Live>(liveKey(waitlist, environment), (now) => ({
            ...now,
            [event]: news,
            ...(event === 'job' ? { jobs: { ...now?.jobs, [(news as Job).id]: news } } : {}),
          }));
        });
      }
      source.onerror = () => {
        // It reconnects by itself, unless the server refused: then the session may have ended.
        if (source?.readyState !== EventSource.CLOSED) return;
        call(api.GET('/admin/v1/me')).catch(() => {});
        reopening = setTimeout(open, REOPEN_MS);
      };
    };
    open();
    return () => {
      clearTimeout(reopening);
      source?.close();
    };
  }, [client, waitlist, environment]);
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
