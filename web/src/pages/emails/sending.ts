import { queryOptions } from '@tanstack/react-query';
import { api, callTagged, ifMatch, type Schemas, type Tagged } from '../../api/client.ts';

export type Sending = Tagged<Schemas['MailSending']>;
export type SendingChanges = Schemas['MailSendingChanges'];
type Waitlist = { waitlistId: string };

/** Rates, limits, a pause and the warm-up. Only emails of production are sent. */
export const sendingQuery = ({ waitlistId }: Waitlist) =>
  queryOptions({
    queryKey: ['mail-sending', waitlistId],
    queryFn: () =>
      callTagged(
        api.GET('/admin/v1/waitlists/{waitlistId}/mail/sending', { params: { path: { waitlistId } } }),
      ),
    refetchInterval: 30_000,
  });

export function changeSending({ waitlistId }: Waitlist, body: SendingChanges, etag?: string) {
  const params = { path: { waitlistId }, ...ifMatch(etag) };
  return callTagged(api.PATCH('/admin/v1/waitlists/{waitlistId}/mail/sending', { params, body }));
}

export function limitInWords(rate: number | null, limit: number | null): string {
  if (rate === null) return limit === null ? 'No limit' : `Limit ${limit}%`;
  return `${rate}%, ${limit === null ? 'no limit' : `limit ${limit}%`}`;
}
