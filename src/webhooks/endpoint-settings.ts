import type { Selectable } from 'kysely';
import type { WebhookEndpointTable } from '../db/tables.ts';
import { Problems } from '../lib/errors.ts';
import { type ColumnSetting, checkSettings, limits, setting, type ValuesOf } from '../lib/setting.ts';
import { isWhole, wholeRule } from '../lib/whole-number.ts';
import { EVENT_KINDS } from '../waitlist/queue/events.ts';
import { type Guard, RefusedTarget } from './guard.ts';

const URL_CHARACTERS_MAX = 2_048;
const DESCRIPTION_CHARACTERS_MAX = 500;
const HEADERS_MAX = 20;
const HEADER_VALUE_CHARACTERS_MAX = 4_096;
export const RATE = { minimum: 1, maximum: 10_000 };
/** Used by HTTP itself, the signature and the body. */
const RESERVED_HEADER =
  /^(host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|user-agent|content-.*|wh-.*|webhook-.*)$/;

const url = setting({
  default: '',
  schema: {
    type: 'string',
    ...limits({ format: 'uri', maxLength: URL_CHARACTERS_MAX }),
    description: 'URL to send events to. Must use https, unless its host is in `DOORLIST_WEBHOOK_ALLOW`.',
  },
  check: (value, tell) => {
    if (value.length > URL_CHARACTERS_MAX) tell(`is longer than ${URL_CHARACTERS_MAX} characters`);
  },
});

const description = setting({
  default: '',
  schema: {
    type: 'string',
    ...limits({ maxLength: DESCRIPTION_CHARACTERS_MAX }),
    description: 'What the endpoint is for.',
  },
  check: (value, tell) => {
    if (value.length > DESCRIPTION_CHARACTERS_MAX)
      tell(`is longer than ${DESCRIPTION_CHARACTERS_MAX} characters`);
  },
});

const events = column<string[], 'events'>({
  column: 'events',
  default: [],
  schema: {
    type: 'array',
    items: { type: 'string', enum: EVENT_KINDS, description: 'A kind of event.' },
    ...limits({ maxItems: EVENT_KINDS.length }),
    description: 'Kinds of events to send. Empty: all of them, including those of later versions.',
  },
  check: (kinds, tell) => {
    for (const kind of kinds)
      if (!(EVENT_KINDS as readonly string[]).includes(kind))
        tell(`unknown event ${kind}: must be one of ${EVENT_KINDS.join(', ')}`);
  },
  write: (kinds) => kinds.join(','),
  read: (kinds) => (kinds === '' ? [] : kinds.split(',')),
});

const headers = setting<Record<string, string>>({
  default: {},
  schema: {
    type: 'object',
    patternProperties: {
      '^.*$': {
        type: 'string',
        ...limits({ maxLength: HEADER_VALUE_CHARACTERS_MAX }),
        description: 'Value of the header.',
      },
    },
    ...limits({ maxProperties: HEADERS_MAX }),
    description: 'Additional headers, such as `Authorization`. At most 20. Replaces the previous ones.',
  },
  check: (given, tell) => {
    if (Object.keys(given).length > HEADERS_MAX) tell(`are more than ${HEADERS_MAX}`);
    for (const [name, value] of Object.entries(given)) {
      const problem = headerProblem(name, value);
      if (problem !== undefined) tell(problem);
    }
  },
});

const rateLimit = column<number | null, 'rate_limit'>({
  column: 'rate_limit',
  default: null,
  schema: {
    type: ['integer', 'null'],
    ...limits(RATE),
    description: 'Most deliveries per second. `null`: no limit.',
  },
  check: (value, tell) => {
    if (value !== null && !isWhole(value, RATE)) tell(`${wholeRule(RATE)} (deliveries per second)`);
  },
  write: (value) => value,
  read: (value) => value,
});

/** Sealed, because they can contain passwords. */
export const SEALED_SETTINGS = { url, description, headers };
/** What the outbox goes by. */
export const COLUMN_SETTINGS = { events, rateLimit };
/** In the order of the reference. */
export const ENDPOINT_SETTINGS = { url, description, events, headers, rateLimit };

export type EndpointInput = ValuesOf<typeof ENDPOINT_SETTINGS>;

/** Returns the URL that is called. */
export async function checkEndpoint(guard: Guard, input: EndpointInput): Promise<string> {
  const problems = new Problems();
  const called =
    input.url.length > URL_CHARACTERS_MAX ? input.url : await checkUrl(guard, input.url, problems);
  checkSettings(ENDPOINT_SETTINGS, { ...input, url: called }, problems);
  return called;
}

async function checkUrl(guard: Guard, given: string, problems: Problems): Promise<string> {
  try {
    return await guard.checkTarget(given);
  } catch (error) {
    if (!(error instanceof RefusedTarget)) throw error;
    problems.add('url', error.message);
    return given;
  }
}

function headerProblem(name: string, value: string): string | undefined {
  if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/.test(name)) return `${name} is not a header name`;
  if (RESERVED_HEADER.test(name.toLowerCase())) return `${name} is set by Doorlist`;
  if (value.length > HEADER_VALUE_CHARACTERS_MAX)
    return `the value of ${name} is longer than ${HEADER_VALUE_CHARACTERS_MAX} characters`;
  return /^[\t\x20-\x7e]*$/.test(value) ? undefined : `the value of ${name} must be printable ASCII`;
}

type Row = Selectable<WebhookEndpointTable>;

/** For the compiler, which compares it with its column. */
function column<Value, Column extends keyof Row>(
  one: ColumnSetting<Value, Column, Row[Column]>,
): ColumnSetting<Value, Column, Row[Column]> {
  return one;
}
