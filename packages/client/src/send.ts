import { DoorlistError, type ErrorCode } from './errors.ts';

export interface SendOptions {
  url: string;
  key?: string | undefined;
  fetch: typeof fetch;
  /** For each attempt. */
  timeoutMs: number;
  /** After the first attempt. */
  retries: number;
  /** Before the first retry, doubled for each further one. */
  retryDelayMs: number;
}

export interface Call {
  method: 'GET' | 'POST';
  /** Default: that of the public API. */
  prefix?: string;
  path: string;
  query?: Record<string, string | number | null | undefined>;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
}

const RETRY_STATUSES = new Set([408, 429, 500, 502, 503, 504]);
const DELAY_MS_MAX = 10_000;
/** A server that asks for more patience than this gets none: the error is thrown at once. */
const RETRY_AFTER_MS_MAX = 60_000;

/** Beyond, timers of Node fire at once. */
const TIMEOUT_MS_MAX = 2_147_483_647;

export function checkSending(options: SendOptions): SendOptions {
  const { key, timeoutMs, retries, retryDelayMs } = options;
  if (key !== undefined && !/^[!-~]*$/.test(key))
    throw new TypeError('key: has characters that no server key has');
  if (!Number.isInteger(timeoutMs) || timeoutMs < 1 || timeoutMs > TIMEOUT_MS_MAX)
    throw new TypeError(`timeoutMs: must be a whole number from 1 to ${TIMEOUT_MS_MAX}`);
  if (!(retries >= 0)) throw new TypeError('retries: must be 0 or more');
  if (!(retryDelayMs >= 0)) throw new TypeError('retryDelayMs: must be 0 or more');
  return options;
}

/** Every call of the API is safe to repeat: signups skip duplicates, accepts carry an idempotency key. */
export async function send<T>(options: SendOptions, call: Call): Promise<T> {
  const request = requestOf(options, call);
  for (let attempt = 0; ; attempt += 1) {
    const outcome = await tryOnce<T>(options, request, call.signal);
    if ('value' in outcome) return outcome.value;
    const delayMs = outcome.retryAfterMs ?? backOff(options.retryDelayMs, attempt);
    if (!outcome.retry || attempt >= options.retries || delayMs > RETRY_AFTER_MS_MAX) throw outcome.error;
    await wait(delayMs, call.signal);
  }
}

type Outcome<T> = { value: T } | { error: DoorlistError; retry: boolean; retryAfterMs?: number | undefined };

interface PreparedRequest {
  address: string;
  init: RequestInit;
}

/** Throws a `TypeError` for what cannot be sent, such as a BigInt: no retry helps. */
function requestOf(options: SendOptions, call: Call): PreparedRequest {
  const init: RequestInit = {
    method: call.method,
    headers: new Headers(headersOf(options.key, call)),
    redirect: 'manual', // Following would drop the key, and turn a POST into a GET.
    ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
  };
  return { address: addressOf(options.url, call), init };
}

async function tryOnce<T>(
  options: SendOptions,
  { address, init }: PreparedRequest,
  signal: AbortSignal | undefined,
): Promise<Outcome<T>> {
  signal?.throwIfAborted();
  const timeout = AbortSignal.timeout(options.timeoutMs);
  let response: Response;
  let text: string;
  try {
    const either = signal ? AbortSignal.any([signal, timeout]) : timeout;
    response = await options.fetch(address, { ...init, signal: either });
    text = await response.text();
  } catch (cause) {
    signal?.throwIfAborted();
    const error = timeout.aborted
      ? new DoorlistError('timeout', `no response within ${options.timeoutMs} ms`, { cause })
      : new DoorlistError('network_error', `cannot reach ${new URL(options.url).host}`, { cause });
    return { error, retry: true };
  }
  const body = parse(text);
  if (response.ok && typeof body === 'object' && body !== null) return { value: body as T };
  return {
    error: errorOf(response, body),
    retry: RETRY_STATUSES.has(response.status),
    retryAfterMs: retryAfterMs(response),
  };
}

function addressOf(url: string, { prefix = '/sdk/v1/waitlist', path, query = {} }: Call): string {
  const address = new URL(`${url.replace(/\/+$/, '')}${prefix}${path}`);
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== null) address.searchParams.set(name, String(value));
  return address.href;
}

function headersOf(key: string | undefined, { body, headers }: Call): Record<string, string> {
  return {
    accept: 'application/json',
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...headers,
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function errorOf({ status, headers, type }: Response, body: unknown): DoorlistError {
  const { code, message } = (body ?? {}) as { code?: unknown; message?: unknown };
  const facts = { status, requestId: headers.get('x-request-id') };
  // Browsers hide the status and the address.
  if (type === 'opaqueredirect' || (status >= 300 && status < 400)) {
    const address = headers.get('location') ?? 'another address';
    return new DoorlistError(
      'unexpected_response',
      `redirected to ${address}: use the new address as url`,
      facts,
    );
  }
  return typeof code === 'string' && typeof message === 'string'
    ? new DoorlistError(code as ErrorCode, message, facts)
    : new DoorlistError(
        'unexpected_response',
        `status ${status} with a body that is not from Doorlist`,
        facts,
      );
}

/** In seconds, or until a date, as proxies may say it. */
function retryAfterMs({ headers }: Response): number | undefined {
  const text = headers.get('retry-after');
  if (text === null) return undefined;
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  // Other texts can be dates to `Date.parse`, too: 1.5 is one in January.
  const at = text.endsWith(' GMT') ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(at - Date.now(), 0);
}

/** Random, so that clients that failed together do not come back together. */
function backOff(delayMs: number, attempt: number): number {
  return Math.min(delayMs * 2 ** attempt, DELAY_MS_MAX) * (0.5 + Math.random() / 2);
}

function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
    if (signal?.aborted) stop();
  });
}
