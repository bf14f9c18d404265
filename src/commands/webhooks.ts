import type { Config } from '../config/config.ts';
import { allowList } from '../lib/addresses.ts';
import {
  createEndpoint,
  deleteEndpoint,
  setEndpointEnabled,
  updateEndpoint,
} from '../webhooks/change-endpoints.ts';
import { RATE_MAX } from '../webhooks/endpoint-input.ts';
import { DEFAULT_OVERLAP_MS, revealSecret, rotateEndpointSecret } from '../webhooks/endpoint-secrets.ts';
import { type Endpoint, listEndpoints, showEndpoint } from '../webhooks/endpoints.ts';
import { createGuard, type Guard } from '../webhooks/guard.ts';
import {
  type PresentedEndpoint,
  presentCreatedEndpoint,
  presentEndpoint,
  presentRevealedSecret,
  presentRotatedSecret,
} from '../webhooks/present.ts';
import {
  type Command,
  type Flag,
  type Flags,
  parseDuration,
  parseWhole,
  requireText,
  table,
  textOr,
  UsageProblem,
} from './command.ts';
import { queueOf } from './queue.ts';

/** Instead of event kinds. */
const ALL = 'all';

const SETTINGS: Record<string, Flag> = {
  events: { value: 'KINDS', about: 'Comma-separated event kinds to send (default: all).' },
  description: { value: 'TEXT', about: 'Description.' },
  headers: { value: 'JSON', about: 'Additional headers: {"Authorization":"Bearer …"}.' },
  'rate-limit': { value: 'NUMBER', about: 'Maximum deliveries per second. 0 means no limit.' },
};

export const webhooks: Command[] = [
  {
    name: 'webhook create',
    once: true,
    about: 'Create an endpoint that receives the events of a waitlist, and print its signing secret.',
    flags: {
      waitlist: { value: 'WAITLIST_ID', about: 'Waitlist.', required: true },
      url: { value: 'URL', about: 'URL to deliver to.', required: true },
      env: { value: 'ENVIRONMENT', about: 'Environment (default: production).' },
      ...SETTINGS,
    },
    run: async (context, _, flags, config) => {
      const queue = await queueOf(context, flags);
      const created = await createEndpoint(context, guardOf(config), queue, {
        url: requireText(flags, 'url'),
        description: '',
        events: [],
        headers: {},
        rateLimit: null,
        ...settingsOf(flags),
      });
      return {
        json: presentCreatedEndpoint(created),
        text: `Created ${created.id}.\n\nSigning secret: ${created.secret}`,
      };
    },
  },
  {
    name: 'webhook list',
    about: 'List endpoints and their state.',
    flags: {
      waitlist: { value: 'WAITLIST_ID', about: 'Only endpoints of this waitlist.' },
      env: { value: 'ENVIRONMENT', about: 'Environment (default: production).' },
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
  {
    name: 'webhook show',
    about: 'Show an endpoint.',
    operands: ['ENDPOINT_ID'],
    run: async (context, [id = '']) => outcomeOf(await showEndpoint(context, id)),
  },
  {
    name: 'webhook update',
    about: 'Update an endpoint. Only the given settings change.',
    operands: ['ENDPOINT_ID'],
    flags: { url: { value: 'URL', about: 'URL to deliver to.' }, ...SETTINGS },
    run: async (context, [id = ''], flags, config) => {
      const url = textOr(flags, 'url', undefined);
      const changes = { ...settingsOf(flags), ...(url === undefined ? {} : { url }) };
      return outcomeOf(await updateEndpoint(context, guardOf(config), id, changes));
    },
  },
  {
    name: 'webhook enable',
    about: 'Enable an endpoint and send its held deliveries.',
    operands: ['ENDPOINT_ID'],
    run: async (context, [id = '']) => outcomeOf(await setEndpointEnabled(context, id, true)),
  },
  {
    name: 'webhook disable',
    about: 'Disable an endpoint. Its deliveries are held.',
    operands: ['ENDPOINT_ID'],
    run: async (context, [id = '']) => outcomeOf(await setEndpointEnabled(context, id, false)),
  },
  {
    name: 'webhook delete',
    about: 'Delete an endpoint with its deliveries and their log.',
    operands: ['ENDPOINT_ID'],
    run: async (context, [id = '']) => {
      await deleteEndpoint(context, id);
      return { json: { id, deleted: true }, text: `Deleted ${id}.` };
    },
  },
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
  {
    name: 'webhook rotate-secret',
    once: true,
    about: 'Create a new signing secret. Deliveries carry both signatures during the overlap.',
    operands: ['ENDPOINT_ID'],
    flags: {
      overlap: { value: 'DURATION', about: 'How long the old secret stays valid (default: 24h).' },
      'revoke-now': { about: 'Revoke the old secret immediately.' },
    },
    run: async (context, [id = ''], flags) => {
      const overlap = textOr(flags, 'overlap', undefined);
      if (overlap !== undefined && flags['revoke-now'] === true)
        throw new UsageProblem('use --overlap or --revoke-now, not both');
      const given = overlap === undefined ? DEFAULT_OVERLAP_MS : parseDuration(overlap, 'overlap');
      const overlapMs = flags['revoke-now'] === true ? 0 : given;
      const rotated = presentRotatedSecret(await rotateEndpointSecret(context, id, overlapMs));
      const until = rotated.previousEndsAt;
      const note = until ? `The old secret stays valid until ${until}.` : 'The old secret was revoked.';
      return { json: rotated, text: `${rotated.secret}\n\n${note}` };
    },
  },
];

function guardOf(config: Config): Guard {
  return createGuard(allowList(config.webhookAllow));
}

/** Only the flags that were given. */
function settingsOf(flags: Flags) {
  const events = textOr(flags, 'events', undefined);
  const description = textOr(flags, 'description', undefined);
  const headers = textOr(flags, 'headers', undefined);
  const rateLimit = parseWhole(flags, 'rate-limit', { from: 0, to: RATE_MAX });
  return {
    ...(events === undefined ? {} : { events: parseList(events) }),
    ...(description === undefined ? {} : { description }),
    ...(headers === undefined ? {} : { headers: parseHeaders(headers) }),
    ...(rateLimit === undefined ? {} : { rateLimit: rateLimit || null }),
  };
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

function outcomeOf(endpoint: Endpoint) {
  const view = presentEndpoint(endpoint);
  const events = view.events.length > 0 ? view.events : ALL;
  const lines = Object.entries({ ...view, events, state: stateOf(view) }).map(
    ([name, value]) => `${name.padEnd(16)}${Array.isArray(value) ? value.join(', ') || '-' : (value ?? '-')}`,
  );
  return { json: view, text: lines.join('\n') };
}
