import type { components, operations } from './api.ts';
import { DoorlistError } from './errors.ts';
import { checkSending, send } from './send.ts';

type Schemas = components['schemas'];
export type SignupEntry = Schemas['SignupEntry'];
export type SignupResult = Schemas['SignupResult'];
export type CodeOutcome = Schemas['CodeOutcome'];
export type SignedUpEntry = Schemas['SignedUpEntry'];
export type Entry = Schemas['Entry'];
export type EntryPage = Schemas['EntryPage'];
export type InviteCheck = Schemas['InviteCheck'];
export type Acceptance = Schemas['InviteAccepted'];
type Query = NonNullable<operations['listEntries']['parameters']['query']>;
export type EntryQuery = { [Name in Exclude<keyof Query, 'cursor'>]?: Query[Name] | undefined } & {
  /** `nextCursor` of the page before. */
  cursor?: string | null | undefined;
};

export interface ClientOptions {
  /** Where Doorlist runs, such as `https://waitlist.example.com`. */
  url: string;
  /** A server key. Keep it on your backend. Not needed for invites. */
  key?: string | undefined;
  /** For each attempt. Default: 10 seconds. */
  timeoutMs?: number | undefined;
  /** How often a failed request is repeated. Default: 3. */
  retries?: number | undefined;
  /** Before the first retry, doubled for each further one. Default: 250 ms. */
  retryDelayMs?: number | undefined;
  /** Default: the global `fetch`. */
  fetch?: typeof fetch | undefined;
}

export interface CallOptions {
  /** Ends the call, its retries and the waiting between them. */
  signal?: AbortSignal | undefined;
}

export interface SignupOptions extends CallOptions {
  /** Also return the entries with their positions and links. The key must be able to read. */
  returnEntries?: boolean | undefined;
}

export interface AcceptOptions extends CallOptions {
  /** Refuses the invite unless it is for this email. A code for many people lets in this email. */
  email?: string | undefined;
  /** Default: a random one for each call, the same for its retries. */
  idempotencyKey?: string | undefined;
}

const BATCH_MAX = 100;
const PAGE_MAX = 200;

export type Client = ReturnType<typeof createClient>;

export function createClient(options: ClientOptions) {
  checkUrl(options.url);
  const sending = checkSending({
    url: options.url,
    key: options.key?.trim(),
    fetch: options.fetch ?? ((...request) => fetch(...request)),
    timeoutMs: options.timeoutMs ?? 10_000,
    retries: options.retries ?? 3,
    retryDelayMs: options.retryDelayMs ?? 250,
  });

  const page = (waitlistId: string, query: EntryQuery = {}, { signal }: CallOptions = {}) =>
    send<EntryPage>(sending, {
      method: 'GET',
      path: `/${encodeURIComponent(waitlistId)}/entries`,
      query: { ...query },
      signal,
    });

  return {
    /**
     * Adds people to a waitlist. More than 100 are sent in several requests, one after the other: each is all
     * or nothing by itself, and the whole call is safe to repeat.
     */
    async signup(
      waitlistId: string,
      entries: SignupEntry | readonly SignupEntry[],
      { returnEntries = false, signal }: SignupOptions = {},
    ): Promise<SignupResult> {
      const all = Array.isArray(entries) ? (entries as readonly SignupEntry[]) : [entries as SignupEntry];
      const total: SignupResult = { success: true, created: 0, skipped: 0 };
      for (let first = 0; first === 0 || first < all.length; first += BATCH_MAX) {
        const batch = all.slice(first, first + BATCH_MAX);
        const result = await send<SignupResult>(sending, {
          method: 'POST',
          path: '/signup',
          body: { waitlistId, entries: batch },
          headers: returnEntries ? { prefer: 'return=representation' } : {},
          signal,
        }).catch((error) => Promise.reject(countFrom(first, error)));
        total.created += result.created;
        total.skipped += result.skipped;
        if (result.codes)
          total.codes = [
            ...(total.codes ?? []),
            ...result.codes.map((code) => ({ ...code, entry: first + code.entry })),
          ];
        if (result.entries) total.entries = [...(total.entries ?? []), ...result.entries];
      }
      return total;
    },

    /** Looks up one entry by email or phone number. Throws `not_found` if it is not on the waitlist. */
    entry(waitlistId: string, emailOrPhone: string, { signal }: CallOptions = {}): Promise<Entry> {
      const path = `/${encodeURIComponent(waitlistId)}/entries/${encodeURIComponent(emailOrPhone)}`;
      return send(sending, { method: 'GET', path, signal });
    },

    /** One page of entries. `entries` walks through all of them. */
    page,

    /** All entries, page by page as they are needed. `limit` is the size of a page. */
    async *entries(
      waitlistId: string,
      { limit = PAGE_MAX, ...query }: Omit<EntryQuery, 'cursor'> = {},
      options: CallOptions = {},
    ): AsyncGenerator<Entry, void, undefined> {
      let cursor: string | null | undefined;
      do {
        const found: EntryPage = await page(
          waitlistId,
          { ...query, limit, ...(cursor ? { cursor } : {}) },
          options,
        );
        yield* found.entries;
        cursor = found.nextCursor;
      } while (cursor);
    },

    checkInvite(code: string, { signal }: CallOptions = {}): Promise<InviteCheck> {
      return send(sending, { method: 'GET', path: `/invites/${encodeURIComponent(code)}`, signal });
    },

    /** Redeems a code. Throws `not_found`, `accepted`, `expired`, `revoked` or `email_mismatch`. */
    acceptInvite(
      code: string,
      { email, idempotencyKey = randomKey(), signal }: AcceptOptions = {},
    ): Promise<Acceptance> {
      return send(sending, {
        method: 'POST',
        path: `/invites/${encodeURIComponent(code)}/accept`,
        body: email === undefined ? {} : { email },
        headers: { 'idempotency-key': idempotencyKey },
        signal,
      });
    },
  };
}

function checkUrl(url: string): void {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    throw new TypeError('url: must be an http or https URL');
  const { username, password } = new URL(url);
  if (username !== '' || password !== '') throw new TypeError('url: must not have a user name or password');
  if (/[?#]/.test(url)) throw new TypeError('url: must not have a query or a fragment');
}

/** The messages of a later request count from its own first entry. */
function countFrom(first: number, error: unknown): unknown {
  if (!(error instanceof DoorlistError) || first === 0) return error;
  const message = error.message.replace(
    /\bentries\[(\d+)\]/g,
    (_, index) => `entries[${first + Number(index)}]`,
  );
  return new DoorlistError(error.code, message, error);
}

function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}
