import { queryOptions } from '@tanstack/react-query';
import { ApiError, sessionEnded } from './client.ts';

export interface Waitlist {
  id: string;
  name: string;
  closedAt: string | null;
  createdAt: string;
  counts: Record<'pending' | 'waiting' | 'invited' | 'joined' | 'removed', number>;
}

async function getJson<T>(path: string): Promise<T> {
  const response = await fetch(path);
  const body = await response.json();
  if (response.status === 401) sessionEnded();
  if (!response.ok) throw new ApiError(response.status, body.code, body.message);
  return body as T;
}

export const waitlistsQuery = (environment: string) =>
  queryOptions({
    queryKey: ['waitlists', environment],
    queryFn: async () =>
      (
        await getJson<{ waitlists: Waitlist[] }>(
          `/admin/v1/waitlists?limit=200&environment=${encodeURIComponent(environment)}`,
        )
      ).waitlists,
  });

export const environmentsQuery = queryOptions({
  queryKey: ['environments'],
  queryFn: async () =>
    (await getJson<{ environments: { name: string }[] }>('/admin/v1/environments')).environments.map(
      ({ name }) => name,
    ),
  placeholderData: ['production', 'development'],
});
