import type { Middleware } from 'openapi-fetch';

/** Answers that never came are forgotten before those that may still come. */
const WAITING_MAX = 100;

/** By what is asked for, until it is answered: what is sent again because an answer was lost is not done twice. */
const keys = new Map<string, string>();
const sent = new WeakMap<Request, string>();

/** What is typed there is nobody else's business, and sent again it does nothing twice. */
const OF_ACCOUNTS = /\/admin\/v1\/(session|setup|password|me)(\/|$)/;

export const idempotencyKeys: Middleware = {
  onRequest: async ({ request }) => {
    if (request.method !== 'POST' || OF_ACCOUNTS.test(new URL(request.url).pathname)) return;
    const body = await request.arrayBuffer(); // It can be a picture.
    const what = `${request.url} ${new TextDecoder('latin1').decode(body)}`;
    // Not a clone, whose body would be a stream.
    const keyed = new Request(request, body.byteLength === 0 ? {} : { body });
    keyed.headers.set('idempotency-key', keyFor(what));
    sent.set(keyed, what);
    return keyed;
  },
  onResponse: ({ request, response }) => {
    if (response.status < 500) answered(sent.get(request) ?? '');
  },
};

export function keyFor(what: string): string {
  const key = keys.get(what) ?? newKey();
  keys.set(what, key);
  if (keys.size > WAITING_MAX) keys.delete(keys.keys().next().value ?? '');
  return key;
}

export function answered(what: string): void {
  keys.delete(what);
}

/** Not `randomUUID`, which browsers only have on https. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}
