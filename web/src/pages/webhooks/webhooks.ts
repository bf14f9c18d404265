import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { DeliveryState } from '../../api/choices.ts';
import { api, call, callTagged, ifMatch, type Schemas } from '../../api/client.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import type { Tone } from '../../ui/badge.tsx';
import { capitalize } from '../../ui/capitalize.ts';

export type Endpoint = Schemas['WebhookEndpoint'];
export type Delivery = Schemas['Delivery'];
export type DeliveryDetails = Schemas['DeliveryDetails'];
export type EndpointInput = Schemas['WebhookEndpointRequest'];
export type EventKind = NonNullable<EndpointInput['events']>[number];

const ABOUT_EVENTS: Readonly<Record<EventKind, string>> = {
  'signup.created': 'Somebody signed up',
  'signup.confirmed': 'Somebody confirmed their email',
  'referral.credited': 'A referral moved somebody up',
  'invite.sent': 'Somebody was invited',
  'invite.accepted': 'An invite was accepted',
  'invite.revoked': 'An invite was revoked',
  'invite.expired': 'An invite expired',
  'entry.removed': 'Somebody was removed',
  'entry.restored': 'Somebody was put back',
  'entry.updated': 'What is stored about somebody was corrected',
  'entry.approved': 'Somebody was approved',
  'entry.declined': 'Somebody was declined',
  'mail.bounced': 'Emails to somebody bounce',
  'mail.complained': 'Somebody marked an email as spam',
  'wave.started': 'A run of a wave began',
  'wave.finished': 'A run of a wave ended',
  'wave.paused': 'A wave was paused',
};
export const EVENTS = Object.entries(ABOUT_EVENTS).map(([kind, about]) => ({
  kind: kind as EventKind,
  about,
}));
export const TEST_EVENT = 'webhook.test';

export const STATE_TONES: Record<DeliveryState, Tone> = {
  delivered: 'accent',
  pending: 'sky',
  failed: 'danger',
  held: 'warn',
};

const WAITING_MS = 1_000;
const SOON_MS = 60_000;

const paramsOf = ({ waitlistId, environment }: Scope) => ({
  path: { waitlistId },
  query: { environment },
});
const endpointParams = (scope: Scope, endpointId: string) => ({
  path: { waitlistId: scope.waitlistId, endpointId },
  query: { environment: scope.environment },
});

/** What people call an endpoint: its host, unless nobody knows it any more. */
export function nameOf({ id, url }: Endpoint): string {
  return url === null ? id : new URL(url).host;
}

/** As the owner of the endpoint would say it. */
export function failureInWords(error: string): string {
  return capitalize(error.replace(/^answered (?=\d)/, 'your server returned '));
}

/** The beginning of every key, to load all of it again. */
export const webhooksKey = ({ waitlistId, environment }: Scope) => ['webhooks', waitlistId, environment];

export const endpointsQuery = (scope: Scope) =>
  queryOptions({
    queryKey: [...webhooksKey(scope), 'list'],
    queryFn: async () =>
      (await call(api.GET('/admin/v1/waitlists/{waitlistId}/webhooks', { params: paramsOf(scope) })))
        .webhooks,
  });

export const endpointQuery = (scope: Scope, endpointId: string) =>
  queryOptions({
    queryKey: [...webhooksKey(scope), endpointId],
    queryFn: () =>
      callTagged(
        api.GET('/admin/v1/waitlists/{waitlistId}/webhooks/{endpointId}', {
          params: endpointParams(scope, endpointId),
        }),
      ),
  });

interface DeliveryFilter {
  state?: DeliveryState | undefined;
  event?: string | undefined;
}

export const deliveriesQuery = (scope: Scope, endpointId: string, filter: DeliveryFilter) =>
  infiniteQueryOptions({
    queryKey: [...webhooksKey(scope), endpointId, 'deliveries', filter],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam }) => {
      const { path, query } = endpointParams(scope, endpointId);
      return call(
        api.GET('/admin/v1/waitlists/{waitlistId}/webhooks/{endpointId}/deliveries', {
          params: { path, query: { ...query, ...filter, cursor: pageParam, limit: 50 } },
        }),
      );
    },
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });

export const deliveryQuery = (scope: Scope, endpointId: string, eventId: string) =>
  queryOptions({
    queryKey: [...webhooksKey(scope), endpointId, 'delivery', eventId],
    queryFn: () => {
      const { path, query } = endpointParams(scope, endpointId);
      return call(
        api.GET('/admin/v1/waitlists/{waitlistId}/webhooks/{endpointId}/deliveries/{eventId}', {
          params: { path: { ...path, eventId }, query },
        }),
      );
    },
    refetchInterval: ({ state }) => (state.data && isDue(state.data) ? WAITING_MS : false),
  });

/** Whether an attempt comes soon or is under way, which moves the next one by up to a minute. */
export function isDue({ state, nextAttemptAt }: Pick<Delivery, 'state' | 'nextAttemptAt'>): boolean {
  return state === 'pending' && nextAttemptAt !== null && Date.parse(nextAttemptAt) < Date.now() + SOON_MS;
}

export function createEndpoint(scope: Scope, body: EndpointInput) {
  return call(api.POST('/admin/v1/waitlists/{waitlistId}/webhooks', { params: paramsOf(scope), body }));
}

export function updateEndpoint(
  scope: Scope,
  endpointId: string,
  body: Schemas['WebhookEndpointChanges'],
  etag?: string,
) {
  const params = { ...endpointParams(scope, endpointId), ...ifMatch(etag) };
  return callTagged(api.PATCH('/admin/v1/waitlists/{waitlistId}/webhooks/{endpointId}', { params, body }));
}

export function deleteEndpoint(scope: Scope, endpointId: string) {
  return call(
    api.DELETE('/admin/v1/waitlists/{waitlistId}/webhooks/{endpointId}', {
      params: endpointParams(scope, endpointId),
    }),
  );
}

export function rotateSecret(scope: Scope, endpointId: string, overlapMs: number) {
  return call(
    api.POST('/admin/v1/waitlists/{waitlistId}/webhooks/{endpointId}/rotate', {
      params: endpointParams(scope, endpointId),
      body: { overlapMs },
    }),
  );
}

export function showSecret(scope: Scope, endpointId: string, password: string) {
  return call(
    api.POST('/admin/v1/waitlists/{waitlistId}/webhooks/{endpointId}/secret', {
      params: endpointParams(scope, endpointId),
      body: { password },
    }),
  );
}

export function sendTestEvent(scope: Scope, endpointId: string) {
  return call(
    api.POST('/admin/v1/waitlists/{waitlistId}/webhooks/{endpointId}/test', {
      params: endpointParams(scope, endpointId),
    }),
  );
}

export function replayDelivery(scope: Scope, endpointId: string, eventId: string) {
  const { path, query } = endpointParams(scope, endpointId);
  return call(
    api.POST('/admin/v1/waitlists/{waitlistId}/webhooks/{endpointId}/deliveries/{eventId}/replay', {
      params: { path: { ...path, eventId }, query },
    }),
  );
}

/** What was given up (`failed`), or failed and waits for its next attempt (`pending`). */
export function replayDeliveries(
  scope: Scope,
  endpointId: string,
  state: 'failed' | 'pending',
  from: string,
): Promise<Schemas['Job']> {
  return call(
    api.POST('/admin/v1/waitlists/{waitlistId}/webhooks/{endpointId}/replay', {
      params: endpointParams(scope, endpointId),
      body: { from, state },
    }),
  );
}
