import { queryOptions } from '@tanstack/react-query';
import { api, call } from '../../api/client.ts';
import { isActive, type Job } from '../../api/jobs.ts';
import { BASE_PATH } from '../../base-path.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';

/** The stream tells at once. This is for when it cannot be reached. */
export const POLL_MS = 5_000;
const UNDO_POLL_MS = 1_000;
const SHOWN = 50;

export function rowsInWords(count: number): string {
  return `${count.toLocaleString('en')} ${count === 1 ? 'row' : 'rows'}`;
}

/** One job, asked for again until it ends. */
export const jobQuery = (jobId: string) =>
  queryOptions({
    queryKey: ['job', jobId],
    queryFn: () => call(api.GET('/admin/v1/jobs/{jobId}', { params: { path: { jobId } } })),
    refetchInterval: ({ state: { data } }) => (!data || isActive(data) ? POLL_MS : false),
  });

/** A job as the stream last told it, unless what was loaded is newer. */
export function newest(job: Job, told: Job | undefined): Job {
  return told !== undefined && told.updatedAt >= job.updatedAt && isActive(job) ? told : job;
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

/** An import with what its file was taken for. Asked for again while it is being undone. */
export const importQuery = ({ waitlistId, environment }: Scope, jobId: string) =>
  queryOptions({
    queryKey: ['import', waitlistId, environment, jobId],
    queryFn: () => {
      const params = { path: { waitlistId, jobId }, query: { environment } };
      return call(api.GET('/admin/v1/waitlists/{waitlistId}/imports/{jobId}', { params }));
    },
    refetchInterval: ({ state: { data } }) => (data && data.undo.jobId !== null ? UNDO_POLL_MS : false),
  });

export function undoImport({ waitlistId, environment }: Scope, jobId: string): Promise<Job> {
  const params = { path: { waitlistId, jobId }, query: { environment } };
  return call(api.POST('/admin/v1/waitlists/{waitlistId}/imports/{jobId}/undo', { params }));
}

export interface ImportResult {
  rows: number;
  created: number;
  skipped: number;
  failed: number;
  codesTaken: number;
  dryRun: boolean;
  /** How many of those who were added are gone, because it was undone. */
  undone: number;
  /** What the rows had. null if the import ran before this was counted. */
  found: Record<'times' | 'referrals' | 'statuses' | 'phones', number> | null;
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
    undone: number('undone'),
    found: foundIn(result.found),
  };
}

function foundIn(value: unknown): ImportResult['found'] {
  if (typeof value !== 'object' || value === null) return null;
  const counts = new Map(Object.entries(value));
  const number = (name: string) => Number(counts.get(name) ?? 0);
  return {
    times: number('times'),
    referrals: number('referrals'),
    statuses: number('statuses'),
    phones: number('phones'),
  };
}

const FILE_MS = 24 * 3_600_000;

/** The file of an export is there for a day. */
export function hasFile(job: Job): boolean {
  return job.state !== 'cancelled' && job.state !== 'failed' && isFresh(job);
}

/** What bad rows say is kept for a day. */
export function isFresh({ createdAt }: Job): boolean {
  return Date.now() - Date.parse(createdAt) < FILE_MS;
}

export function errorsUrl({ waitlistId, environment }: Scope, jobId: string): string {
  return `${BASE_PATH}/admin/v1/waitlists/${waitlistId}/imports/${jobId}/errors?${new URLSearchParams({ environment })}`;
}

export function badRowsUrl({ waitlistId, environment }: Scope, jobId: string): string {
  return `${BASE_PATH}/admin/v1/waitlists/${waitlistId}/imports/${jobId}/bad-rows?${new URLSearchParams({ environment })}`;
}

export function fileUrl({ waitlistId, environment }: Scope, jobId: string): string {
  return `${BASE_PATH}/admin/v1/waitlists/${waitlistId}/exports/${jobId}/file?${new URLSearchParams({ environment })}`;
}
