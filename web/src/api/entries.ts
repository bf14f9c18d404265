import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { api, call, type Schemas } from './client.ts';

export type Entry = Schemas['Entry'];
export type Invite = Schemas['Invite'];

interface Scope {
  waitlistId: string;
  environment: string;
}

/** What every query about people of a waitlist begins with, so that all can be refreshed at once. */
export const peopleKey = ({ waitlistId, environment }: Scope) => ['people', waitlistId, environment] as const;

export const refreshPeople = (client: QueryClient, scope: Scope) =>
  client.invalidateQueries({ queryKey: peopleKey(scope) });

export const entryQuery = (scope: Scope, entryId: string) =>
  queryOptions({
    queryKey: [...peopleKey(scope), 'entry', entryId],
    queryFn: () =>
      call(
        api.GET('/admin/v1/waitlists/{waitlistId}/entries/{entryId}', {
          params: {
            path: { waitlistId: scope.waitlistId, entryId },
            query: { environment: scope.environment },
          },
        }),
      ),
  });

/** Why there is nothing to call a person by. Erasing removes them too, so that others are damaged. */
export function missingData({ email, phone, status }: Named): 'erased' | 'damaged' | undefined {
  if (email !== null || phone !== null) return undefined;
  return status === 'removed' ? 'erased' : 'damaged';
}

type Named = Pick<Entry, 'email' | 'phone' | 'status'>;

/** How a person is called: what they signed up with. */
export function nameOf(entry: Named): string {
  return entry.email ?? entry.phone ?? (missingData(entry) === 'erased' ? 'Erased person' : 'Damaged entry');
}

export function people(count: number): string {
  return `${count.toLocaleString('en')} ${count === 1 ? 'person' : 'people'}`;
}
