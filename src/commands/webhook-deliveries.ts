import { sharedNow } from '../db/shared-clock.ts';
import {
  DELIVERIES_PAGE_MAX,
  DELIVERY_STATES,
  type DeliveryState,
  listAllDeliveries,
  listDeliveries,
  showDelivery,
} from '../webhooks/list-deliveries.ts';
import {
  type PresentedDelivery,
  presentDelivery,
  presentDeliveryDetails,
  presentEndpointDelivery,
} from '../webhooks/present.ts';
import { replayEvent, sendTestEvent } from '../webhooks/replay.ts';
import { replayFailed, retryPending } from '../webhooks/replay-job.ts';
import { type Command, parseSince, parseWhole, table, textOr, UsageProblem } from './command.ts';
import { queueOf } from './queue.ts';

export const webhookDeliveries: Command[] = [
  {
    name: 'webhook deliveries',
    about: 'List deliveries to one endpoint or to all, newest first.',
    operands: ['[ENDPOINT_ID]'],
    flags: {
      state: { value: 'STATE', about: `One of ${DELIVERY_STATES.join(', ')}.` },
      waitlist: { value: 'WAITLIST_ID', about: 'Only endpoints of this waitlist.' },
      env: { value: 'ENVIRONMENT', about: 'Environment (default: production). Requires --waitlist.' },
      limit: { value: 'NUMBER', about: 'Number of results (default: 50).' },
      cursor: { value: 'CURSOR', about: 'Cursor from the previous page.' },
    },
    run: async (context, [id], flags) => {
      const state = textOr(flags, 'state', undefined);
      if (state !== undefined && !(DELIVERY_STATES as readonly string[]).includes(state))
        throw new UsageProblem(`--state: must be one of ${DELIVERY_STATES.join(', ')}`);
      if (id !== undefined && flags.waitlist !== undefined)
        throw new UsageProblem('use ENDPOINT_ID or --waitlist, not both');
      if (flags.env !== undefined && flags.waitlist === undefined)
        throw new UsageProblem('--waitlist is required when --env is set');
      const query = {
        limit: parseWhole(flags, 'limit', { from: 1, to: DELIVERIES_PAGE_MAX }) ?? 50,
        cursor: textOr(flags, 'cursor', undefined),
        state: state as DeliveryState | undefined,
      };
      const queue = flags.waitlist === undefined ? undefined : await queueOf(context, flags);
      const { deliveries, nextCursor } =
        id === undefined
          ? await listAllDeliveries(context, queue, query)
          : await listDeliveries(context, id, query);
      const present = id === undefined ? presentEndpointDelivery : presentDelivery;
      const page = { deliveries: deliveries.map(present), nextCursor };
      return { json: page, text: deliveryTable(page, id === undefined) };
    },
  },
  {
    name: 'webhook delivery',
    about: 'Show a delivery: its body, attempts and responses.',
    operands: ['ENDPOINT_ID', 'EVENT_ID'],
    run: async (context, [id = '', eventId = '']) => {
      const delivery = presentDeliveryDetails(await showDelivery(context, id, eventId));
      const rows = delivery.log.map((one) => [
        one.attempt,
        one.at,
        one.status,
        `${one.durationMs} ms`,
        one.error ?? 'delivered',
        one.response?.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ').slice(0, 60) ?? null,
      ]);
      const text = table(['ATTEMPT', 'AT', 'STATUS', 'TOOK', 'OUTCOME', 'RESPONSE'], rows);
      const head = `${delivery.event}  ${delivery.kind}  ${delivery.state}`;
      return { json: delivery, text: `${head}\n${delivery.body ?? '(erased or damaged)'}\n\n${text}` };
    },
  },
  {
    name: 'webhook replay',
    once: (_, { event }) => (event === undefined ? 'job' : true),
    about: 'Resend one event, all failed deliveries since a given time, or now what waits to be retried.',
    operands: ['ENDPOINT_ID'],
    flags: {
      event: { value: 'EVENT_ID', about: 'Event to resend, whatever its state.' },
      'failed-since': { value: 'TIME', about: 'Resend what failed since: an ISO 8601 time, or 24h, 7d.' },
      pending: { about: 'Try what failed and waits for its next attempt now.' },
    },
    run: async (context, [id = ''], flags) => {
      const eventId = textOr(flags, 'event', undefined);
      const since = textOr(flags, 'failed-since', undefined);
      const pending = flags.pending === true;
      if ([eventId !== undefined, since !== undefined, pending].filter(Boolean).length !== 1)
        throw new UsageProblem('use one of --event, --failed-since and --pending');
      const replay = async () => {
        if (pending) return retryPending(context, id);
        if (eventId !== undefined) return replayEvent(context, id, eventId);
        return replayFailed(context, id, parseSince(since ?? '', 'failed-since', await sharedNow(context)));
      };
      const result = await replay();
      return {
        json: result,
        text: `Queued ${result.replayed} ${result.replayed === 1 ? 'delivery' : 'deliveries'} for resending.`,
      };
    },
  },
  {
    name: 'webhook test',
    once: true,
    about: 'Send a webhook.test event.',
    operands: ['ENDPOINT_ID'],
    run: async (context, [id = '']) => {
      const sent = await sendTestEvent(context, id);
      const look = `To see the result, run: webhook delivery ${id} ${sent.event}`;
      return { json: sent, text: `Queued ${sent.event}. ${look}` };
    },
  },
];

function deliveryTable(
  {
    deliveries,
    nextCursor,
  }: { deliveries: (PresentedDelivery & { endpoint?: string })[]; nextCursor: string | null },
  withEndpoint: boolean,
): string {
  const rows = deliveries.map((one) => [
    ...(withEndpoint ? [one.endpoint ?? null] : []),
    ...[one.event, one.kind, one.state, one.attempts, one.createdAt, one.nextAttemptAt],
  ]);
  const headings = ['EVENT', 'KIND', 'STATE', 'ATTEMPTS', 'CREATED', 'NEXT ATTEMPT'];
  const more = nextCursor ? `\n\nNext page: --cursor ${nextCursor}` : '';
  return table(withEndpoint ? ['ENDPOINT', ...headings] : headings, rows) + more;
}
