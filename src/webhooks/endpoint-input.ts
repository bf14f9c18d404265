import { Problems } from '../lib/errors.ts';
import { EVENT_KINDS } from '../waitlist/queue/events.ts';
import { type Guard, RefusedTarget } from './guard.ts';

export interface EndpointInput {
  url: string;
  description: string;
  /** Empty means all kinds, including those added by later releases. */
  events: string[];
  headers: Record<string, string>;
  /** Deliveries per second. */
  rateLimit: number | null;
}

const URL_CHARACTERS_MAX = 2_048;
const DESCRIPTION_CHARACTERS_MAX = 500;
export const HEADERS_MAX = 20;
export const HEADER_VALUE_CHARACTERS_MAX = 4_096;
export const RATE_MAX = 10_000;
/** Used by HTTP itself, the signature and the body. */
const RESERVED_HEADER =
  /^(host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|user-agent|content-.*|wh-.*|webhook-.*)$/;

/** Returns the URL that is called. */
export async function checkEndpoint(guard: Guard, input: EndpointInput): Promise<string> {
  const problems = new Problems();
  const url = input.url.length > URL_CHARACTERS_MAX ? input.url : await checkUrl(guard, input.url, problems);
  if (url.length > URL_CHARACTERS_MAX) problems.add('url', `is longer than ${URL_CHARACTERS_MAX} characters`);
  if (input.description.length > DESCRIPTION_CHARACTERS_MAX)
    problems.add('description', `is longer than ${DESCRIPTION_CHARACTERS_MAX} characters`);
  for (const event of input.events) {
    if (!(EVENT_KINDS as readonly string[]).includes(event))
      problems.add('events', `unknown event ${event}: must be one of ${EVENT_KINDS.join(', ')}`);
  }
  checkHeaders(input.headers, problems);
  const { rateLimit } = input;
  if (rateLimit !== null && !(Number.isInteger(rateLimit) && rateLimit >= 1 && rateLimit <= RATE_MAX))
    problems.add('rateLimit', `must be a whole number from 1 to ${RATE_MAX} (deliveries per second)`);
  problems.throwIfAny();
  return url;
}

async function checkUrl(guard: Guard, url: string, problems: Problems): Promise<string> {
  try {
    return await guard.checkTarget(url);
  } catch (error) {
    if (!(error instanceof RefusedTarget)) throw error;
    problems.add('url', error.message);
    return url;
  }
}

function checkHeaders(headers: Record<string, string>, problems: Problems): void {
  const names = Object.keys(headers);
  if (names.length > HEADERS_MAX) problems.add('headers', `are more than ${HEADERS_MAX}`);
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/.test(name))
      problems.add('headers', `${name} is not a header name`);
    else if (RESERVED_HEADER.test(name.toLowerCase())) problems.add('headers', `${name} is set by Doorlist`);
    else if (value.length > HEADER_VALUE_CHARACTERS_MAX)
      problems.add(
        'headers',
        `the value of ${name} is longer than ${HEADER_VALUE_CHARACTERS_MAX} characters`,
      );
    else if (!/^[\t\x20-\x7e]*$/.test(value))
      problems.add('headers', `the value of ${name} must be printable ASCII`);
  }
}
