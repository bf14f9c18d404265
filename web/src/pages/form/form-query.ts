import { queryOptions } from '@tanstack/react-query';
import { api, callTagged, ifMatch, type Schemas, type Tagged } from '../../api/client.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';

export type Form = Tagged<Schemas['Form']>;
export type FormChanges = Schemas['FormRequest'];

export const formQuery = ({ waitlistId, environment }: Scope) =>
  queryOptions({
    queryKey: ['form', waitlistId, environment],
    queryFn: () =>
      callTagged(
        api.GET('/admin/v1/waitlists/{waitlistId}/form', {
          params: { path: { waitlistId }, query: { environment } },
        }),
      ),
  });

export function updateForm(scope: Scope, body: FormChanges, etag?: string): Promise<Form> {
  const { waitlistId, environment } = scope;
  const params = { path: { waitlistId }, query: { environment }, ...ifMatch(etag) };
  return callTagged(api.PATCH('/admin/v1/waitlists/{waitlistId}/form', { params, body }));
}

export function rotateFormKey({ waitlistId, environment }: Scope): Promise<Form> {
  return callTagged(
    api.POST('/admin/v1/waitlists/{waitlistId}/form/rotate', {
      params: { path: { waitlistId }, query: { environment } },
    }),
  );
}
