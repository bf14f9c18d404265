import { sharedNow } from '../db/shared-clock.ts';
import {
  DELIVERIES_PAGE_MAX,
  DELIVERY_STATES,
  type DeliveryState,
  type DeliveryView,
  listAllDeliveries,
  listDeliveries,
  showDelivery,
} from '../webhooks/deliveries.ts';
import { replayEvent, replayFailed, sendTestEvent } from '../webhooks/replay.ts';
import { type Command, parseSince, parseWhole, table, textOr, UsageProblem } from './command.ts';
import { queueOf } from './queue.ts';

export const webhookDeliveries: Command[] = [
  {
    name: 'webhook deliveries',
    about: 'Lists deliveries and how they went, newest first: to one endpoint, or to all.',
    operands: ['[ENDPOINT_ID]'],
    flags: {
      state: { value: 'STATE', about: `One of ${DELIVERY_STATES.join(', ')}.` },
      waitlist: { value: 'WAITLIST_ID', about: 'All endpoints of this waitlist.' },
      env: { value: 'ENVIRONMENT', about: 'The environment (production); needs --waitlist.' },
      limit: { value: 'NUMBER', about: 'How many (50).' },
      cursor: { value: 'CURSOR', about: 'Continue from here, as the previous page says.' },
    },
    run: async (context, [id], flags) => {
      const state = textOr(flags, 'state', undefined);
      if (state !== undefined && !(DELIVERY_STATES as readonly string[]).includes(state))
        throw new UsageProblem(`--state: must be one of ${DELIVERY_STATES.join(', ')}`);
      if (id !== undefined && flags.waitlist !== undefined)
        throw new UsageProblem('give an endpoint or --waitlist, not both');
      if (flags.env !== undefined && flags.waitlist === undefined)
        throw new UsageProblem('--waitlist is required when --env is set');
      const query = {
        limit: parseWhole(flags, 'limit', { from: 1, to: DELIVERIES_PAGE_MAX }) ?? 50,
        cursor: textOr(flags, 'cursor', undefined),
        state: state as DeliveryState | undefined,
      };
      const queue = flags.waitlist === undefined ? undefined : await queueOf(context, flags);
      const page =
        id === undefined
          ? await listAllDeliveries(context, queue, query)
          : await listDeliveries(context, id, query);
      return { json: page, text: deliveryTable(page, id === undefined) };
    },
  },
  {
    name: 'webhook delivery',
    about: 'Shows one delivery: what was sent, each attempt and what came back.',
    operands: ['ENDPOINT_ID', 'EVENT_ID'],
    run: async (context, [id = '', eventId = '']) => {
      const delivery = await showDelivery(context, id, eventId);
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
      return { json: delivery, text: `${head}\n${delivery.body ?? '(erased)'}\n\n${text}` };
    },
  },
  {
    name: 'webhook replay',
    about: 'Sends again: one event, or all that were given up since a time.',
    operands: ['ENDPOINT_ID'],
    flags: {
      event: { value: 'EVENT_ID', about: 'This one, whatever became of it.' },
      'failed-since': { value: 'TIME', about: 'All that failed since then: an ISO 8601 time, or 24h, 7d.' },
    },
    run: async (context, [id = ''], flags) => {
      const eventId = textOr(flags, 'event', undefined);
      const since = textOr(flags, 'failed-since', undefined);
      if ((eventId === undefined) === (since === undefined))
        throw new UsageProblem('give --event or --failed-since');
      const result =
        eventId === undefined
          ? await replayFailed(context, id, parseSince(since ?? '', 'failed-since', await sharedNow(context)))
          : await replayEvent(context, id, eventId);
      return { json: result, text: `${result.replayed} will be sent again.` };
    },
  },
  {
    name: 'webhook test',
    about: 'Sends an event that says that it is a test.',
    operands: ['ENDPOINT_ID'],
    run: async (context, [id = '']) => {
      const sent = await sendTestEvent(context, id);
      const look = `See how it went: webhook delivery ${id} ${sent.event}`;
      return { json: sent, text: `${sent.event} is on its way. ${look}` };
    },
  },
];

function deliveryTable(
  {
    deliveries,
    nextCursor,
  }: { deliveries: (DeliveryView & { endpoint?: string })[]; nextCursor: string | null },
  withEndpoint: boolean,
): string {
  const rows = deliveries.map((one) => [
    ...(withEndpoint ? [one.endpoint ?? null] : []),
    ...[one.event, one.kind, one.state, one.attempts, one.createdAt, one.nextAttemptAt],
  ]);
  const headings = ['EVENT', 'KIND', 'STATE', 'ATTEMPTS', 'RECORDED', 'NEXT'];
  const more = nextCursor ? `\n\nMore with --cursor ${nextCursor}` : '';
  return table(withEndpoint ? ['ENDPOINT', ...headings] : headings, rows) + more;
}
