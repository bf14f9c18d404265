import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { number } from '../ui/number.ts';
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

type Named = Pick<Entry, 'email' | 'phone' | 'missing'>;

/** How a person is called: what they signed up with. */
export function nameOf({ email, phone, missing }: Named): string {
  return email ?? phone ?? (missing === 'damaged' ? 'Damaged entry' : 'Erased person');
}

export function people(count: number): string {
  return `${number(count)} ${count === 1 ? 'person' : 'people'}`;
}
