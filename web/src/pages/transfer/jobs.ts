import { queryOptions } from '@tanstack/react-query';
import { api, call, type Schemas } from '../../api/client.ts';
import { BASE_PATH } from '../../base-path.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';

export type Job = Schemas['Job'];

/** The stream tells at once. This is for when it cannot be reached. */
export const POLL_MS = 5_000;
const SHOWN = 50;

export function isFinished({ state }: Job): boolean {
  return state === 'done' || state === 'failed' || state === 'cancelled';
}

/** One job, asked for again until it ends. */
export const jobQuery = (jobId: string) =>
  queryOptions({
    queryKey: ['job', jobId],
    queryFn: () => call(api.GET('/admin/v1/jobs/{jobId}', { params: { path: { jobId } } })),
    refetchInterval: ({ state: { data } }) => (data && isFinished(data) ? false : POLL_MS),
  });

/** A job as the stream last told it, unless what was loaded is newer. */
export function newest(job: Job, told: Job | undefined): Job {
  return told !== undefined && told.updatedAt >= job.updatedAt && !isFinished(job) ? told : job;
}

export function cancelJob(jobId: string): Promise<Job> {
  return call(api.DELETE('/admin/v1/jobs/{jobId}', { params: { path: { jobId } } }));
}

export const importsQuery = ({ waitlistId, environment }: Scope) =>
  queryOptions({
    queryKey: ['imports', waitlistId, environment],
    queryFn: async () => {
      const params = { path: { waitlistId }, query: { environment, limit: SHOWN } };
      return (await call(api.GET('/admin/v1/waitlists/{waitlistId}/imports', { params }))).jobs;
    },
  });

export const exportsQuery = ({ waitlistId, environment }: Scope) =>
  queryOptions({
    queryKey: ['exports', waitlistId, environment],
    queryFn: async () => {
      const params = { path: { waitlistId }, query: { environment, limit: 200 } };
      const { jobs } = await call(api.GET('/admin/v1/waitlists/{waitlistId}/jobs', { params }));
      return jobs.filter(({ kind }) => kind === 'export').slice(0, SHOWN);
    },
  });

export interface ImportResult {
  rows: number;
  created: number;
  skipped: number;
  failed: number;
  codesTaken: number;
  dryRun: boolean;
}

export function importResultOf({ result }: Job): ImportResult | null {
  if (result === null) return null;
  const number = (name: string) => Number(result[name] ?? 0);
  return {
    rows: number('rows'),
    created: number('created'),
    skipped: number('skipped'),
    failed: number('failed'),
    codesTaken: number('codesTaken'),
    dryRun: result.dryRun === true,
  };
}

const EXPORT_MS = 24 * 3_600_000;

/** The file of an export is there for a day. */
export function hasFile({ state, createdAt }: Job): boolean {
  return state !== 'cancelled' && state !== 'failed' && Date.now() - Date.parse(createdAt) < EXPORT_MS;
}

export function errorsUrl({ waitlistId, environment }: Scope, jobId: string): string {
  return `${BASE_PATH}/admin/v1/waitlists/${waitlistId}/imports/${jobId}/errors?${new URLSearchParams({ environment })}`;
}

export function fileUrl({ waitlistId, environment }: Scope, jobId: string): string {
  return `${BASE_PATH}/admin/v1/waitlists/${waitlistId}/exports/${jobId}/file?${new URLSearchParams({ environment })}`;
}
