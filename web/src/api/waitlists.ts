import { queryOptions } from '@tanstack/react-query';
import { api, call, callTagged, type Schemas } from './client.ts';
import { PAGE, readAll } from './read-all.ts';

export type Waitlist = Schemas['Waitlist'];

/** Of more, people search one rather than look for it. */
export const FEW_WAITLISTS = 12;

/** As people count: Shop 2 before Shop 10. */
const natural = new Intl.Collator('en', { numeric: true });

/** All waitlists, with the numbers of one environment. */
export const waitlistsQuery = (environment: string) =>
  queryOptions({
    queryKey: ['waitlists', environment],
    queryFn: async () => {
      const all = await readAll(async (cursor) => {
        const query = { environment, limit: PAGE, cursor };
        const page = await call(api.GET('/admin/v1/waitlists', { params: { query } }));
        return { items: page.waitlists, nextCursor: page.nextCursor };
      });
      return all.sort((a, b) => natural.compare(a.name, b.name) || natural.compare(a.id, b.id));
    },
  });

/** The settings of a waitlist, and its numbers in the environment. */
export const waitlistQuery = ({
  waitlistId,
  environment = 'production',
}: {
  waitlistId: string;
  environment?: string | undefined;
}) =>
  queryOptions({
    queryKey: ['waitlist', waitlistId, environment],
    queryFn: () =>
      callTagged(
        api.GET('/admin/v1/waitlists/{waitlistId}', {
          params: { path: { waitlistId }, query: { environment } },
        }),
      ),
  });

export const environmentsQuery = queryOptions({
  queryKey: ['environments'],
  queryFn: async () => {
    const { environments } = await call(api.GET('/admin/v1/environments'));
    return environments.map(({ name }) => name);
  },
});
