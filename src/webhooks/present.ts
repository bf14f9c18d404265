import { valuesOf } from '../lib/setting.ts';
import { isoTime, isoTimeOrNull } from '../lib/time.ts';
import type { RevealedSecret, RotatedSecret } from './endpoint-secrets.ts';
import { ENDPOINT_SETTINGS } from './endpoint-settings.ts';
import type { Endpoint } from './endpoints.ts';
import type { Delivery, DeliveryAttempt, DeliveryDetails } from './list-deliveries.ts';

export type PresentedEndpoint = ReturnType<typeof presentEndpoint>;

export function presentEndpoint(endpoint: Endpoint) {
  return {
    id: endpoint.id,
    waitlistId: endpoint.waitlistId,
    environment: endpoint.environment,
    ...valuesOf(ENDPOINT_SETTINGS, endpoint),
    enabled: endpoint.disabledAt === null,
    disabledAt: isoTimeOrNull(endpoint.disabledAt),
    disabledReason: endpoint.disabledReason,
    failingSince: isoTimeOrNull(endpoint.failingSince),
    lastSuccessAt: isoTimeOrNull(endpoint.lastSuccessAt),
    createdAt: isoTime(endpoint.createdAt),
  };
}

export function presentRotatedSecret({ id, secret, previousEndsAt }: RotatedSecret) {
  return { id, secret, previousEndsAt: isoTimeOrNull(previousEndsAt) };
}

export function presentRevealedSecret({ id, secret, previous }: RevealedSecret) {
  return {
    id,
    secret,
    previous: previous.map((one) => ({ secret: one.secret, endsAt: isoTimeOrNull(one.endsAt) })),
  };
}

export type PresentedDelivery = ReturnType<typeof presentDelivery>;

export function presentDelivery(delivery: Delivery) {
  return {
    event: delivery.event,
    kind: delivery.kind,
    state: delivery.state,
    attempts: delivery.attempts,
    createdAt: isoTime(delivery.createdAt),
    nextAttemptAt: isoTimeOrNull(delivery.nextAttemptAt),
    deliveredAt: isoTimeOrNull(delivery.deliveredAt),
    failedAt: isoTimeOrNull(delivery.failedAt),
  };
}

export function presentEndpointDelivery(delivery: Delivery) {
  return { endpoint: delivery.endpoint, ...presentDelivery(delivery) };
}

export function presentAttempt({ attempt, at, status, durationMs, error, response }: DeliveryAttempt) {
  return { attempt, at: isoTime(at), status, durationMs, error, response };
}

export function presentDeliveryDetails(delivery: DeliveryDetails) {
  return {
    ...presentDelivery(delivery),
    body: delivery.request.body,
    log: delivery.log.map(presentAttempt),
  };
}
