import type { DeliveryState } from '../../api/choices.ts';
import { Badge } from '../../ui/badge.tsx';
import { number } from '../../ui/number.ts';
import { Tooltip } from '../../ui/tooltip.tsx';
import type { Delivery, Endpoint } from './webhooks.ts';
import { STATE_TONES } from './webhooks.ts';

/** The API counts no further. */
const FAILED_MAX = 1_000;

/** How an endpoint is doing, in a word or two. */
export function EndpointHealth({ endpoint }: { endpoint: Endpoint }) {
  const { url, enabled, disabledReason, failingSince, lastSuccessAt, recentlyFailed } = endpoint;
  if (url === null) return <Badge tone="danger">Damaged</Badge>;
  if (!enabled)
    return (
      <Tooltip text={disabledReason ?? 'Deliveries are held until it is enabled.'}>
        <span>
          <Badge tone="warn">Disabled</Badge>
        </span>
      </Tooltip>
    );
  if (failingSince !== null) return <Badge tone="danger">Failing</Badge>;
  if (recentlyFailed > 0)
    return (
      <Tooltip text="Deliveries of the last 7 days that were given up. Replay them, or they stay undelivered.">
        <span>
          <Badge tone="warn">
            {number(recentlyFailed)}
            {recentlyFailed >= FAILED_MAX && '+'} failed
          </Badge>
        </span>
      </Tooltip>
    );
  return lastSuccessAt === null ? <Badge>No deliveries yet</Badge> : <Badge tone="accent">Healthy</Badge>;
}

export function DeliveryStateBadge({ state }: { state: DeliveryState }) {
  return <Badge tone={STATE_TONES[state]}>{stateName(state)}</Badge>;
}

export function stateName(state: Delivery['state']): string {
  return state.slice(0, 1).toUpperCase() + state.slice(1);
}

export function eventsText(events: readonly string[]): string {
  if (events.length === 0) return 'All events';
  const [first = ''] = events;
  return events.length === 1 ? first : `${first} and ${events.length - 1} more`;
}
