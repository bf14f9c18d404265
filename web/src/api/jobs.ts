import type { QueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { Scope } from '../shell/waitlist-scope.ts';
import type { Schemas } from './client.ts';
import { type Live, liveKey, useLive } from './live.tsx';

export type Job = Schemas['Job'];

export const isActive = ({ state }: Job): boolean => state === 'queued' || state === 'running';

/** Jobs that were started in this window and not shown yet. */
const startedHere = new Set<string>();

/** Shows a job that was started here, even if it ends before the stream reports it. */
export function watchJob(client: QueryClient, scope: Scope, job: Job): void {
  startedHere.add(job.id);
  client.setQueryData<Live>(liveKey(scope.waitlistId, scope.environment), (now) => ({
    ...now,
    jobs: { [job.id]: job, ...now?.jobs },
  }));
}

/** Of those that are wanted: jobs under way, and those that ended while somebody watched, newest first. */
export function useWatchedJobs({ waitlistId, environment }: Scope, wanted: (job: Job) => boolean): Job[] {
  const { jobs = {} } = useLive(waitlistId, environment);
  const watched = useRef(new Set<string>());
  const shown = Object.values(jobs)
    .filter((job) => wanted(job) && job.environment === environment)
    .filter((job) => isActive(job) || watched.current.has(job.id) || startedHere.has(job.id))
    .sort((a, b) => b.createdAt.localeCompare(a.createdAt));
  for (const { id } of shown) watched.current.add(id);
  useEffect(() => {
    for (const { id } of shown) startedHere.delete(id);
  });
  return shown;
}
