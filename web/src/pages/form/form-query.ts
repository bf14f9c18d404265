import { queryOptions } from '@tanstack/react-query';
import { api, call, type Schemas } from '../../api/client.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';

export type Form = Schemas['Form'];
export type FormChanges = Schemas['FormRequest'];

export const formQuery = ({ waitlistId, environment }: Scope) =>
  queryOptions({
    queryKey: ['form', waitlistId, environment],
    queryFn: () =>
      call(
        api.GET('/admin/v1/waitlists/{waitlistId}/form', {
          params: { path: { waitlistId }, query: { environment } },
        }),
      ),
  });

export function updateForm({ waitlistId, environment }: Scope, body: FormChanges): Promise<Form> {
  return call(
    api.PATCH('/admin/v1/waitlists/{waitlistId}/form', {
      params: { path: { waitlistId }, query: { environment } },
      body,
    }),
  );
}

export function rotateFormKey({ waitlistId, environment }: Scope): Promise<Form> {
  return call(
    api.POST('/admin/v1/waitlists/{waitlistId}/form/rotate', {
      params: { path: { waitlistId }, query: { environment } },
    }),
  );
}
