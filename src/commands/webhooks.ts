import { webhookEndpoints, webhookSecrets } from '../operations/webhooks/endpoints.ts';
import type { Context } from '../waitlist/queue/context.ts';
import { revealSecret } from '../webhooks/endpoint-secrets.ts';
import { RATE } from '../webhooks/endpoint-settings.ts';
import { findEndpoint, listEndpoints } from '../webhooks/endpoints.ts';
import { type PresentedEndpoint, presentEndpoint, presentRevealedSecret } from '../webhooks/present.ts';
import { type Command, type Flags, type Outcome, parseWholeText, table, UsageProblem } from './command.ts';
import { commandsFor } from './command-of.ts';
import type { FieldWords } from './field-flags.ts';
import { QUEUE_FLAGS, queueOf } from './queue.ts';

/** Instead of event kinds. */
const ALL = 'all';

const SETTINGS: Record<string, FieldWords> = {
  url: { value: 'URL', about: 'URL to deliver to.' },
  events: {
    value: 'KINDS',
    about: 'Comma-separated event kinds to send (default: all).',
    read: parseList,
  },
  description: { about: 'Description.' },
  headers: {
    about: 'Additional headers: {"Authorization":"Bearer …"}.',
    read: parseHeaders,
  },
  rateLimit: {
    value: 'NUMBER',
    about: 'Maximum deliveries per second. 0 means no limit.',
    read: (text, flag) => parseWholeText(text, `--${flag}`, { from: 0, to: RATE.maximum }) || null,
  },
};

const command = commandsFor([...webhookEndpoints, ...webhookSecrets]);

/** An id of an endpoint names its waitlist and environment, too. */
export const BY_ENDPOINT = {
  fields: { waitlistId: false, environment: false } as const,
  input: async (_flags: Flags, context: Context, [endpointId = '']: readonly string[]) => {
    const { queue } = await findEndpoint(context, endpointId);
    return { waitlistId: queue.waitlist.id, environment: queue.environment };
  },
};

export const webhooks: Command[] = [
  command<PresentedEndpoint & { secret: string }>('createWebhookEndpoint', {
    name: 'webhook create',
    once: true,
    about: 'Create an endpoint that receives the events of a waitlist, and print its signing secret.',
    fields: SETTINGS,
    show: (created) => ({
      json: created,
      text: `Created ${created.id}.\n\nSigning secret: ${created.secret}`,
    }),
  }),
  {
    name: 'webhook list',
    about: 'List endpoints and their state.',
    operations: ['listWebhookEndpoints'],
    flags: {
      ...QUEUE_FLAGS,
      waitlist: { value: 'WAITLIST_ID', about: 'Only endpoints of this waitlist.' },
    },
    run: async (context, _, flags) => {
      const queue = flags.waitlist === undefined ? undefined : await queueOf(context, flags);
      const list = (await listEndpoints(context, queue)).map(presentEndpoint);
      const rows = list.map((one) => [
        one.id,
        one.waitlistId,
        one.environment,
        one.url,
        one.events.join(',') || ALL,
        stateOf(one),
      ]);
      return { json: list, text: table(['ID', 'WAITLIST', 'ENV', 'URL', 'EVENTS', 'STATE'], rows) };
    },
  },
  command('getWebhookEndpoint', {
    ...BY_ENDPOINT,
    name: 'webhook show',
    about: 'Show an endpoint.',
    show: outcomeOf,
  }),
  command('updateWebhookEndpoint', {
    ...BY_ENDPOINT,
    name: 'webhook update',
    about: 'Update an endpoint. Only the given settings change.',
    fields: { ...BY_ENDPOINT.fields, ...SETTINGS, enabled: false },
    show: outcomeOf,
  }),
  switchTo(true, 'webhook enable', 'Enable an endpoint and send its held deliveries.'),
  switchTo(false, 'webhook disable', 'Disable an endpoint. Its deliveries are held.'),
  command<{ id: string }>('deleteWebhookEndpoint', {
    ...BY_ENDPOINT,
    name: 'webhook delete',
    about: 'Delete an endpoint with its deliveries and their log.',
    show: (deleted) => ({ json: deleted, text: `Deleted ${deleted.id}.` }),
  }),
  {
    name: 'webhook secret',
    about: 'Show the signing secret of an endpoint.',
    operands: ['ENDPOINT_ID'],
    run: async (context, [id = '']) => {
      const revealed = presentRevealedSecret(await revealSecret(context, id));
      const others = revealed.previous.map(({ secret, endsAt }) => `${secret} (until ${endsAt})`);
      return { json: revealed, text: [revealed.secret, ...others].join('\n') };
    },
  },
  command<{ secret: string; previousEndsAt: string | null }>('rotateWebhookSecret', {
    ...BY_ENDPOINT,
    name: 'webhook rotate-secret',
    once: true,
    about: 'Create a new signing secret. Deliveries carry both signatures during the overlap.',
    fields: {
      ...BY_ENDPOINT.fields,
      overlapMs: { about: 'How long the old secret stays valid (default: 24h).' },
    },
    flags: { 'revoke-now': { about: 'Revoke the old secret immediately.' } },
    input: async (flags, context, operands) => {
      const isNow = flags['revoke-now'] === true;
      if (isNow && flags.overlap !== undefined)
        throw new UsageProblem('use --overlap or --revoke-now, not both');
      const queue = await BY_ENDPOINT.input(flags, context, operands);
      return isNow ? { ...queue, overlapMs: 0 } : queue;
    },
    show: (rotated) => {
      const { secret, previousEndsAt: until } = rotated;
      const note = until ? `The old secret stays valid until ${until}.` : 'The old secret was revoked.';
      return { json: rotated, text: `${secret}\n\n${note}` };
    },
  }),
];

function switchTo(enabled: boolean, name: string, about: string): Command {
  return command('updateWebhookEndpoint', {
    ...{ name, about, show: outcomeOf },
    fields: Object.fromEntries(
      [...Object.keys(BY_ENDPOINT.fields), ...Object.keys(SETTINGS), 'enabled'].map((name) => [name, false]),
    ),
    input: async (...given) => ({ ...(await BY_ENDPOINT.input(...given)), enabled }),
  });
}

function parseList(text: string): string[] {
  const items = text.split(',').map((item) => item.trim());
  return text === ALL ? [] : [...new Set(items.filter(Boolean))];
}

function parseHeaders(text: string): Record<string, string> {
  const problem = new UsageProblem(
    '--headers: must be a JSON object with string values, such as {"X-Team":"growth"}',
  );
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw problem;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw problem;
  if (Object.values(value).some((item) => typeof item !== 'string')) throw problem;
  return value as Record<string, string>;
}

function stateOf({ url, enabled, disabledReason, failingSince }: PresentedEndpoint): string {
  if (url === null) return 'damaged: its settings cannot be decrypted';
  if (!enabled) return `disabled: ${disabledReason}`;
  return failingSince ? `failing since ${failingSince}` : 'enabled';
}

function outcomeOf(view: PresentedEndpoint): Outcome {
  const events = view.events.length > 0 ? view.events : ALL;
  const lines = Object.entries({ ...view, events, state: stateOf(view) }).map(
    ([name, value]) => `${name.padEnd(16)}${Array.isArray(value) ? value.join(', ') || '-' : (value ?? '-')}`,
  );
  return { json: view, text: lines.join('\n') };
}
