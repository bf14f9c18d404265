import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { describe } from 'node:test';
import { promisify } from 'node:util';
import { readConfig } from '../../src/config/config.ts';
import type { Engine } from '../../src/db/database.ts';
import type { PostgresLimits } from '../../src/db/postgres/pool.ts';
import type { StreamTimes } from '../../src/http/admin/core/stream-hub.ts';
import type { Dashboard } from '../../src/http/dashboard/dashboard-routes.ts';
import type { UploadLimits } from '../../src/http/plugins/upload.ts';
import type { PresentedAcceptance } from '../../src/http/sdk/accept-invite.ts';
import type { PresentedInviteCheck } from '../../src/http/sdk/check-invite.ts';
import type { PresentedPage } from '../../src/http/sdk/list-entries.ts';
import { openContext } from '../../src/installation/open.ts';
import { createLogger } from '../../src/lib/log.ts';
import type { OpenDns } from '../../src/mail/sender/dns.ts';
import { argon2Passwords, type Passwords } from '../../src/operators/password.ts';
import { buildApp, type Timeouts } from '../../src/server/app.ts';
import { appParts } from '../../src/server/app-parts.ts';
import { JOB_KINDS } from '../../src/server/background.ts';
import { createInvite } from '../../src/waitlist/invites/create-invites.ts';
import { expireInvites, revokeInvite } from '../../src/waitlist/invites/end-invites.ts';
import { runDueJobs } from '../../src/waitlist/jobs/job-runner.ts';
import { gateKeys, type HookKeyChanges } from '../../src/waitlist/keys/hook-keys.ts';
import { trackKeyUsage } from '../../src/waitlist/keys/key-usage.ts';
import { createKey } from '../../src/waitlist/keys/server-keys.ts';
import { type MailEventKeyInput, mailEventKeys } from '../../src/waitlist/mail-events/mail-event-keys.ts';
import type { Context } from '../../src/waitlist/queue/context.ts';
import type { Queue } from '../../src/waitlist/queue/queue.ts';
import { createWaitlist } from '../../src/waitlist/settings/waitlists.ts';
import type { SignupResult } from '../../src/waitlist/signup/commit-signups.ts';
import { openSignups } from '../../src/waitlist/signup/signup.ts';
import type { Get } from '../../src/webhooks/requests.ts';
import type { PresentedEntry } from '../../src/wire/entry.ts';
import { presentCreatedInvite } from '../../src/wire/invite.ts';
import { presentCreatedKey } from '../../src/wire/keys.ts';
import { CITUS_URL } from './citus.ts';
import { noDns } from './dns-server.ts';
import { CHOSEN_ENGINES, type Difference } from './engines.ts';
import { parseJson } from './raw-http.ts';
import { send } from './send.ts';
import { createStorage, type Storage, unique } from './storage.ts';

export const START = Date.UTC(2026, 10, 15, 9, 30);

type Suite = (engine: Engine) => void;

/** Runs a suite on each engine that the run has chosen for its file, and on both if it says what can differ. */
export function forEachEngine(suite: Suite): void;
export function forEachEngine(difference: Difference, suite: Suite): void;
export function forEachEngine(...words: [Suite] | [Difference, Suite]): void {
  const suite = words.at(-1) as Suite;
  for (const engine of CHOSEN_ENGINES)
    describe(`on ${engine === 'postgres' && CITUS_URL ? 'citus' : engine}`, () => suite(engine));
}

export interface Answer<T = unknown> {
  status: number;
  headers: Headers;
  text: string;
  body: T;
  /** Of the request. */
  path?: string;
}

export interface RequestOptions {
  key?: string | undefined;
  headers?: Record<string, string>;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as is. */
  rawBody?: string | Uint8Array;
}

export interface ServiceOptions {
  /** In addition to the storage's variables. Rate limits are off unless given. */
  environment?: Record<string, string>;
  timeouts?: Partial<Timeouts>;
  uploads?: Partial<UploadLimits>;
  streamTimes?: Partial<StreamTimes>;
  /** For fewer waiting entries than the configuration allows. */
  mostWaitingSignups?: number;
  longestSignupWaitMs?: number;
  /** To start on another service's data. The caller removes it. */
  storage?: Storage;
  startAt?: number;
  /** For a public URL with the port in it. */
  port?: number;
  databaseLimits?: Partial<PostgresLimits>;
  /** Where CAPTCHA answers are checked. */
  captchaUrls?: { turnstile?: string; hcaptcha?: string };
  /** Stands in for Amazon. */
  get?: Get;
  snsRoots?: readonly string[];
  /** Stands in for the DNS. */
  openDns?: OpenDns;
  dashboard?: Dashboard;
  passwords?: Passwords;
}

/** A clock that only moves when a test moves it. */
export interface TestClock {
  now: number;
  advance(ms: number): void;
}

export type Service = Awaited<ReturnType<typeof startService>>;

const NO_RATE_LIMITS = Object.fromEntries(
  [
    'INVITE_CHECK',
    'INVITE_ACCEPT',
    'VERIFY',
    'AUTH_FAILURES',
    'SIGN_IN',
    'FORM',
    'FORM_READ',
    'FORM_WAITLIST',
  ].map((name) => [`DOORLIST_RATE_LIMIT_${name}`, '0']),
);

/** At the least cost that Argon2id allows: the real one, 0.1 s for each password, is that of guessing it. */
export const cheapPasswords = () => argon2Passwords({ operations: 1, memoryBytes: 8_192 });

/** The whole service in this process, on a free port, with its own storage, clock and log. */
export async function startService(engine: Engine, options: ServiceOptions = {}) {
  const storage = options.storage ?? (await createStorage(engine, { migrated: true }));
  const config = readConfig({
    ...NO_RATE_LIMITS,
    DOORLIST_LOG_REQUESTS: 'all',
    ...storage.environment,
    ...options.environment,
  });
  const clock: TestClock = {
    now: options.startAt ?? START,
    advance: (ms) => {
      clock.now += ms;
    },
  };
  const log: string[] = [];
  const logger = createLogger('info', { write: (line) => void log.push(line) });
  const context = await openContext(config, logger, () => clock.now, {
    limits: options.databaseLimits,
  });
  const keyUsage = trackKeyUsage(context);
  const signups = openSignups(
    context,
    options.mostWaitingSignups ?? config.mostWaitingSignups,
    options.longestSignupWaitMs,
  );
  const parts = appParts(config, {
    ...{ context, keyUsage, signups },
    passwords: options.passwords ?? cheapPasswords(),
    ...(options.captchaUrls ? { captchaUrls: options.captchaUrls } : {}),
    ...(options.get ? { get: options.get } : {}),
    ...(options.snsRoots ? { snsRoots: options.snsRoots } : {}),
    openDns: options.openDns ?? noDns,
    ...(options.timeouts ? { timeouts: options.timeouts } : {}),
    ...(options.uploads ? { uploads: options.uploads } : {}),
    ...(options.dashboard ? { dashboard: options.dashboard } : {}),
    ...(options.streamTimes ? { streamTimes: options.streamTimes } : {}),
  });
  const { app, drain } = await buildApp(parts);
  await app.listen({ host: '127.0.0.1', port: options.port ?? 0 });
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  const client = clientFor(url);
  const close = async () => {
    app.server.closeAllConnections();
    await app.close();
    await keyUsage.close();
    await context.db.close();
    if (!options.storage) await storage.remove();
  };
  let closed: Promise<void> | undefined;

  return {
    ...client,
    context,
    clock,
    log,
    storage,
    drain,
    config,
    openConnections: promisify(app.server.getConnections.bind(app.server)) as () => Promise<number>,
    /** A product key, unless a waitlist is given. */
    key: async (
      input: { waitlistId?: string; environment?: string; read?: boolean; expiresAt?: number } = {},
    ) =>
      presentCreatedKey(
        await createKey(context, {
          waitlistId: input.waitlistId ?? null,
          environment: input.environment ?? 'production',
          canRead: input.read ?? false,
          expiresAt: input.expiresAt ?? null,
        }),
      ),
    revoke: (codeOrId: string) => revokeInvite(context, codeOrId),
    /** Runs every due job to its end, as a server does in the background. */
    runJobs: () => runDueJobs(context, JOB_KINDS),
    /** Expires overdue invites, as upkeep does. */
    expire: async (list: List) => expireInvites(context, await list.queue()),
    /** A waitlist that another service has created in the same storage. */
    existing: ({ id, key, keyId }: Pick<List, 'id' | 'key' | 'keyId'>): List =>
      listClient(client, context, id, { key, id: keyId as PresentedKey['id'] }),
    /** A new waitlist with a key that has all permissions for it. */
    waitlist: async (input: { boost?: number; name?: string } = {}): Promise<List> => {
      const id = unique('wl_');
      await createWaitlist(context, { id, name: input.name ?? 'Acme' });
      if (input.boost !== undefined) {
        await context.db.query
          .updateTable('waitlist')
          .set({ boost: input.boost })
          .where('public_id', '=', id)
          .execute();
      }
      const created = await createKey(context, {
        waitlistId: id,
        environment: 'production',
        canRead: true,
        expiresAt: null,
      });
      return listClient(client, context, id, presentCreatedKey(created));
    },
    close: () => {
      closed ??= close();
      return closed;
    },
  };
}

type PresentedKey = ReturnType<typeof presentCreatedKey>;

/** A waitlist in its production environment, as its owner sees it. */
export interface List {
  id: string;
  key: string;
  keyId: string;
  queue(environment?: string): Promise<Queue>;
  signup(...entries: unknown[]): Promise<Answer<SignupResult & { success: boolean }>>;
  lookup(identifier: string): Promise<Answer<PresentedEntry>>;
  page(query?: Record<string, string | number>): Promise<Answer<PresentedPage>>;
  /** All pages in sequence. */
  walk(query?: Record<string, string | number>): Promise<PresentedEntry[]>;
  /** The path of a new gate key. */
  gate(input?: HookKeyChanges): Promise<string>;
  /** The path of a new mail event key. */
  mailEvents(input?: Partial<MailEventKeyInput>): Promise<string>;
  invite(
    email: string,
    input?: { expiresAt?: number; environment?: string },
  ): Promise<ReturnType<typeof presentCreatedInvite>>;
}

function listClient(
  client: Client,
  context: Context,
  id: string,
  { key, id: keyId }: Pick<PresentedKey, 'key' | 'id'>,
): List {
  const queue = async (environment = 'production') => {
    const found = await context.registry.queue(id, environment);
    assert.ok(found);
    return found;
  };
  const list = listOver(client, id, key);
  return {
    ...list,
    keyId,
    queue,
    gate: async (input) => `/gate/v1/${(await gateKeys.create(context, await queue(), input)).key}`,
    mailEvents: async (input) =>
      `/mail-events/v1/${(await mailEventKeys.create(context, await queue(), { provider: 'plain', ...input })).key}`,
    invite: async (email, input = {}) =>
      presentCreatedInvite(
        await createInvite(context, await queue(input.environment), {
          email,
          expiresAt: input.expiresAt ?? null,
        }),
      ),
  };
}

/** A waitlist accessed only through the HTTP API. */
export function listOver(client: Client, id: string, key: string) {
  const page = (query: Record<string, string | number> = {}) =>
    client.request<PresentedPage>('GET', `/sdk/v1/waitlist/${id}/entries${queryString(query)}`, { key });
  return {
    id,
    key,
    page,
    signup: (...entries: unknown[]) =>
      client.request<SignupResult & { success: boolean }>('POST', '/sdk/v1/waitlist/signup', {
        key,
        body: { waitlistId: id, entries },
      }),
    lookup: (identifier: string) =>
      client.request<PresentedEntry>(
        'GET',
        `/sdk/v1/waitlist/${id}/entries/${encodeURIComponent(identifier)}`,
        {
          key,
        },
      ),
    walk: async (query: Record<string, string | number> = {}) => {
      const entries: PresentedEntry[] = [];
      let cursor: string | null = null;
      do {
        const answer: Answer<PresentedPage> = await page(cursor === null ? query : { ...query, cursor });
        assert.equal(answer.status, 200, answer.text);
        entries.push(...answer.body.entries);
        cursor = answer.body.nextCursor;
      } while (cursor !== null);
      return entries;
    },
  };
}

function queryString(query: Record<string, string | number>): string {
  const parts = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

export type Client = ReturnType<typeof clientFor>;

/** A JSON client for a service in this process or another. */
export function clientFor(url: string) {
  const request = async <T = unknown>(
    method: string,
    path: string,
    { key, headers = {}, body, rawBody }: RequestOptions = {},
  ): Promise<Answer<T>> => {
    const sent = rawBody ?? (body === undefined ? undefined : JSON.stringify(body));
    const answer = await send(url + path, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...headers,
      },
      body: sent,
    });
    return { ...answer, body: parseJson(answer.text) as T, path };
  };
  const invitePath = (code: string) => `/sdk/v1/waitlist/invites/${encodeURIComponent(code)}`;
  return {
    url,
    request,
    check: (code: string, options?: RequestOptions) =>
      request<PresentedInviteCheck>('GET', invitePath(code), options),
    accept: (code: string, options?: RequestOptions) =>
      request<PresentedAcceptance>('POST', `${invitePath(code)}/accept`, options),
    verify: (body: unknown) => request('POST', '/sdk/v1/waitlist/webhooks/verify', { body }),
  };
}

interface AnyAnswer {
  /** Of the request. */
  path?: string;
  status: number;
  headers: Headers | Record<string, string>;
  text: string;
  body: unknown;
}

/** An error is exactly `{ code, message }`, with the headers that every response has. The admin API also names fields. */
export function assertError(
  answer: AnyAnswer,
  status: number,
  code: string,
  message?: string | RegExp,
): void {
  assert.equal(answer.status, status, answer.text);
  assert.ok(typeof answer.body === 'object' && answer.body !== null, `not JSON: ${answer.text}`);
  const told = answer.body as { code: string; message: string; fields?: { name: string }[] };
  const named = answer.path?.startsWith('/admin/') && told.fields ? ['fields'] : [];
  assert.deepEqual(Object.keys(told).sort(), ['code', ...named, 'message']);
  for (const { name } of told.fields ?? []) assert.ok(told.message.includes(name), name);
  assert.equal(told.code, code, answer.text);
  if (message instanceof RegExp) assert.match(told.message, message);
  else if (message !== undefined) assert.equal(told.message, message);
  assert.ok(typeof told.message === 'string' && told.message !== '');
  assert.match(headerOf(answer, 'content-type') ?? '', /^application\/json/);
  assert.match(headerOf(answer, 'x-request-id') ?? '', /./);
  assert.equal(headerOf(answer, 'cache-control'), 'no-store');
  if (status === 401) assert.equal(headerOf(answer, 'www-authenticate'), 'Bearer');
  if (status === 429 || status === 503) assert.match(headerOf(answer, 'retry-after') ?? '', /^[1-9][0-9]*$/);
}

function headerOf({ headers }: Pick<AnyAnswer, 'headers'>, name: string): string | undefined {
  return headers instanceof Headers ? (headers.get(name) ?? undefined) : headers[name];
}

/** Repeats a request until the result is as wanted, because settings may be cached for a moment. */
export async function eventually<T>(ask: () => Promise<T>, wanted: (answer: T) => boolean): Promise<T> {
  const giveUpAt = performance.now() + 60_000; // Starting a process takes long on a busy machine.
  for (;;) {
    const answer = await ask();
    if (wanted(answer) || performance.now() > giveUpAt) return answer;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
