import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import type { Document } from '../../src/http/docs/document.ts';
import { suppress } from '../../src/waitlist/links/suppression.ts';
import { type AdminClient, adminClient, succeeded } from '../support/admin.ts';
import { CITUS_URL } from '../support/citus.ts';
import { operationsOf } from '../support/documented.ts';
import { type Answer, type List, type Service, startService } from '../support/harness.ts';
import { PNG } from '../support/pictures.ts';
import { unique } from '../support/storage.ts';
import { endpointFor, LOOPBACK } from '../support/webhooks.ts';

interface Call {
  path: string;
  body?: unknown;
  rawBody?: string | Uint8Array;
  type?: string;
  gets?: number;
}
type Prepare = (list: List) => Promise<Call> | Call;

let service: Service;
let admin: AdminClient;
let holder: pg.Client;
let observer: pg.Client;

const WAVE = {
  name: 'Mornings',
  count: 5,
  schedule: { timeZone: 'Europe/Berlin', time: '09:00', repeat: 'daily' },
};
const SEGMENT = { name: 'Not confirmed', conditions: { status: 'pending' } };

const of = (list: List, rest = '') => `/waitlists/${list.id}${rest}`;
const idOf = (answer: Answer<unknown>) => (answer.body as { id: string }).id;

async function entryOf(list: List): Promise<string> {
  await list.signup({ email: 'ada@example.com', metadata: { plan: 'pro' } });
  const page = succeeded(await admin.get<{ entries: { id: string }[] }>(of(list, '/entries')));
  return page.entries[0]?.id ?? '';
}

async function inviteOf(list: List): Promise<string> {
  await entryOf(list);
  return idOf(await admin.post(of(list, '/invites'), { email: 'ada@example.com' }));
}

async function endpointOf(list: List): Promise<string> {
  return (await endpointFor(service.context, await list.queue(), 'http://127.0.0.1:9/')).id;
}

async function deliveryOf(list: List): Promise<{ endpoint: string; event: string }> {
  const endpoint = await endpointOf(list);
  await entryOf(list);
  const found = await admin.get<{ deliveries: { event: string }[] }>(
    of(list, `/webhooks/${endpoint}/deliveries`),
  );
  return { endpoint, event: succeeded(found).deliveries[0]?.event ?? '' };
}

async function mailOf(list: List): Promise<string> {
  succeeded(await admin.patch(of(list, '/mail/settings'), { kinds: ['welcome'] }));
  await entryOf(list);
  return succeeded(await admin.get<{ mails: { id: string }[] }>(of(list, '/mails'))).mails[0]?.id ?? '';
}

async function segmentOf(list: List): Promise<string> {
  return idOf(await admin.post(of(list, '/segments'), SEGMENT));
}

async function waveOf(list: List): Promise<string> {
  return idOf(await admin.post(of(list, '/waves'), WAVE));
}

async function keyOf(path: string): Promise<string> {
  return idOf(await admin.post(path, {}));
}

/** Every operation that changes something of waitlists. The others change operators, and know no queue. */
const CHANGES: Record<string, Prepare> = {
  createWebhookEndpoint: (list) => ({
    path: of(list, '/webhooks'),
    body: { url: 'http://127.0.0.1:9/' },
    gets: 201,
  }),
  updateWebhookEndpoint: async (list) => ({
    path: of(list, `/webhooks/${await endpointOf(list)}`),
    body: { enabled: false },
  }),
  deleteWebhookEndpoint: async (list) => ({ path: of(list, `/webhooks/${await endpointOf(list)}`) }),
  showWebhookSecret: async (list) => ({
    path: of(list, `/webhooks/${await endpointOf(list)}/secret`),
    body: {},
    gets: 403,
  }),
  rotateWebhookSecret: async (list) => ({
    path: of(list, `/webhooks/${await endpointOf(list)}/rotate`),
    body: {},
  }),
  resendConfirmations: (list) => ({ path: of(list, '/mails/confirmations'), body: {}, gets: 409 }),
  resendConfirmation: async (list) => ({
    path: of(list, `/entries/${await entryOf(list)}/confirmation`),
    gets: 409,
  }),
  sendKeptMails: (list) => ({ path: of(list, '/mails/send-kept'), body: {}, gets: 409 }),
  retryMails: (list) => ({ path: of(list, '/mails/retry'), body: {}, gets: 202 }),
  replayDelivery: async (list) => {
    const { endpoint, event } = await deliveryOf(list);
    return { path: of(list, `/webhooks/${endpoint}/deliveries/${event}/replay`) };
  },
  replayDeliveries: async (list) => ({
    path: of(list, `/webhooks/${(await deliveryOf(list)).endpoint}/replay`),
    body: { from: '2026-11-15T00:00:00Z', to: '2026-11-16T00:00:00Z' },
    gets: 202,
  }),
  testWebhookEndpoint: async (list) => ({
    path: of(list, `/webhooks/${await endpointOf(list)}/test`),
    gets: 202,
  }),
  updateMailSending: (list) => ({ path: of(list, '/mail/sending'), body: { bouncePercent: 5 } }),
  updateMailSettings: (list) => ({ path: of(list, '/mail/settings'), body: { kinds: ['welcome'] } }),
  saveMailTemplate: (list) => ({
    path: of(list, '/mail/templates/welcome'),
    body: { subject: 'Hello', body: 'Hello.' },
  }),
  resetMailTemplate: async (list) => {
    const path = of(list, '/mail/templates/welcome');
    succeeded(await admin.put(path, { subject: 'Hello', body: 'Hello.' }));
    return { path };
  },
  previewMailTemplate: (list) => ({
    path: of(list, '/mail/templates/welcome/preview'),
    body: { subject: 'Hello', body: 'Hello.' },
  }),
  testMailTemplate: (list) => ({
    path: of(list, '/mail/templates/welcome/test'),
    body: { to: 'grace@example.com' },
    gets: 202,
  }),
  resendMail: async (list) => {
    const id = await mailOf(list);
    const { id: queueId } = await list.queue();
    const sent = { delivered_at: service.clock.now, due_at: null };
    await service.context.db.query
      .updateTable('delivery')
      .set(sent)
      .where('queue_id', '=', queueId)
      .execute();
    return { path: of(list, `/mails/${id}/resend`) };
  },
  removeSuppression: async (list) => {
    const queue = await list.queue();
    const hash = queue.vault.hash('email', 'ada@example.com');
    await suppress(service.context.db.query, queue, hash, 'bounced', service.clock.now);
    return { path: of(list, '/suppressions/ada@example.com') };
  },
  createImport: (list) => ({
    path: of(list, '/imports'),
    rawBody: 'email\neve@example.com\n',
    type: 'text/csv',
    gets: 202,
  }),
  previewImport: (list) => ({
    path: of(list, '/imports/preview'),
    rawBody: 'email\neve@example.com\n',
    type: 'text/csv',
  }),
  undoImport: async (list) => {
    const file = { rawBody: 'email\neve@example.com\n', headers: { 'content-type': 'text/csv' } };
    const id = idOf(await admin.request('POST', of(list, '/imports'), file));
    await service.runJobs();
    return { path: of(list, `/imports/${id}/undo`), gets: 202 };
  },
  createExport: (list) => ({ path: of(list, '/exports'), body: { format: 'csv' }, gets: 202 }),
  updateForm: (list) => ({ path: of(list, '/form'), body: { enabled: true } }),
  rotateFormKey: async (list) => {
    succeeded(await admin.patch(of(list, '/form'), { enabled: true }));
    return { path: of(list, '/form/rotate') };
  },
  decideReferralReview: async (list) => {
    await list.signup(
      { email: 'ada@example.com' },
      { email: 'bob@example.com', referredBy: 'ada@example.com' },
    );
    const id = Buffer.alloc(16, 7);
    const { id: queue_id } = await list.queue();
    const review = { queue_id, id, seq: 2, referrer_seq: 1, created_at: service.clock.now };
    await service.context.db.query.insertInto('referral_review').values(review).execute();
    const page = await admin.get<{ reviews: { id: string }[] }>(of(list, '/referral-reviews'));
    return {
      path: of(list, `/referral-reviews/${succeeded(page).reviews[0]?.id}`),
      body: { decision: 'reject' },
    };
  },
  cancelJob: async (list) => {
    const { rawBody = '', path } = await (CHANGES.createImport as Prepare)(list);
    const headers = { 'content-type': 'text/csv' };
    return { path: `/jobs/${idOf(await admin.request('POST', path, { rawBody, headers }))}` };
  },
  previewForm: (list) => ({ path: of(list, '/form/preview'), body: {} }),
  uploadLogo: (list) => ({ path: of(list, '/logo'), rawBody: PNG, type: 'image/png' }),
  dismissFirstSteps: (list) => ({ path: of(list, '/first-steps/dismiss') }),
  createSegment: (list) => ({ path: of(list, '/segments'), body: SEGMENT, gets: 201 }),
  updateSegment: async (list) => ({ path: of(list, `/segments/${await segmentOf(list)}`), body: SEGMENT }),
  deleteSegment: async (list) => ({ path: of(list, `/segments/${await segmentOf(list)}`) }),
  createWave: (list) => ({ path: of(list, '/waves'), body: WAVE, gets: 201 }),
  updateWave: async (list) => ({ path: of(list, `/waves/${await waveOf(list)}`), body: { paused: true } }),
  stopWave: async (list) => ({ path: of(list, `/waves/${await waveOf(list)}`) }),
  updateInstance: () => ({ path: '/instance', body: { defaultTimeZone: 'Europe/Berlin' } }),
  confirmHealth: () => ({ path: '/health/confirmations', body: { check: 'backup', confirmed: true } }),
  updateAlerts: () => ({ path: '/health/alerts', body: { emails: true } }),
  testAlerts: async () => {
    succeeded(await admin.patch('/health/alerts', { webhookUrl: 'http://127.0.0.1:9/' }));
    return { path: '/health/alerts/test', gets: 202 };
  },
  createEnvironment: () => ({ path: '/environments', body: { name: unique('e') }, gets: 201 }),
  createWaitlist: () => ({
    path: '/waitlists',
    body: { id: unique('wl_'), name: 'New', metadataKeys: ['plan'] },
    gets: 201,
  }),
  updateWaitlist: (list) => ({
    path: of(list),
    body: { closed: true, name: 'Renamed', boost: 9, referralCap: 3, metadataKeys: ['source'] },
  }),
  deleteWaitlist: (list) => ({ path: of(list), body: { confirm: list.id } }),
  createWaitlistKey: (list) => ({ path: of(list, '/keys'), body: {}, gets: 201 }),
  rotateWaitlistKey: async (list) => ({
    path: of(list, `/keys/${await keyOf(of(list, '/keys'))}/rotate`),
    body: {},
    gets: 201,
  }),
  revokeWaitlistKey: async (list) => ({ path: of(list, `/keys/${await keyOf(of(list, '/keys'))}`) }),
  createGateKey: (list) => ({ path: of(list, '/gate-keys'), body: {}, gets: 201 }),
  updateGateKey: async (list) => ({
    path: of(list, `/gate-keys/${await keyOf(of(list, '/gate-keys'))}`),
    body: { name: 'Backend' },
  }),
  deleteGateKey: async (list) => ({ path: of(list, `/gate-keys/${await keyOf(of(list, '/gate-keys'))}`) }),
  createMailEventKey: (list) => ({ path: of(list, '/mail-event-keys'), body: {}, gets: 201 }),
  updateMailEventKey: async (list) => ({
    path: of(list, `/mail-event-keys/${await keyOf(of(list, '/mail-event-keys'))}`),
    body: { name: 'Resend' },
  }),
  deleteMailEventKey: async (list) => ({
    path: of(list, `/mail-event-keys/${await keyOf(of(list, '/mail-event-keys'))}`),
  }),
  createProductKey: () => ({ path: '/keys', body: {}, gets: 201 }),
  rotateProductKey: async () => ({ path: `/keys/${await keyOf('/keys')}/rotate`, body: {}, gets: 201 }),
  revokeProductKey: async () => ({ path: `/keys/${await keyOf('/keys')}` }),
  updateEntry: async (list) => ({
    path: of(list, `/entries/${await entryOf(list)}`),
    body: { metadata: { plan: 'free' } },
  }),
  removeEntry: async (list) => {
    const id = await entryOf(list);
    return { path: of(list, `/entries/${id}`), body: { confirm: id } };
  },
  restoreEntry: async (list) => {
    const path = of(list, `/entries/${await entryOf(list)}`);
    succeeded(await admin.delete(path, {}));
    return { path: `${path}/restore` };
  },
  addEntry: (list) => ({ path: of(list, '/entries'), body: { email: 'eve@example.com' }, gets: 201 }),
  createInvites: async (list) => {
    await entryOf(list);
    return { path: of(list, '/invites'), body: { email: 'ada@example.com' }, gets: 201 };
  },
  revokeInvite: async (list) => ({ path: of(list, `/invites/${await inviteOf(list)}`) }),
  revokeInvites: async (list) => {
    await inviteOf(list);
    return { path: of(list, '/invites/revoke'), body: {}, gets: 202 };
  },
  resendInvite: async (list) => ({ path: of(list, `/invites/${await inviteOf(list)}/resend`) }),
};

const ON_CITUS = CITUS_URL !== undefined && 'one PostgreSQL tells who waits for whom';

/** Those that change only operators, their sessions and their tokens. */
const OF_OPERATORS = /^\/admin\/v1\/(setup|session|password|me|operators|tokens)(\/|$)/;

/** Waits until the call has its answer, or waits for the lock that the holder has. */
async function blockedOrDone(answer: Promise<unknown>, pid: number): Promise<'blocked' | 'done'> {
  let done = false;
  answer.finally(() => {
    done = true;
  });
  for (;;) {
    const { rows } = await observer.query(
      'select pid from pg_stat_activity where $1 = any(pg_blocking_pids(pid))',
      [pid],
    );
    if (done) return 'done';
    if (rows.length > 0) return 'blocked';
  }
}

/** That nothing but the held queue is locked: each of these fails at once if somebody has the lock. */
async function assertNothingElseLocked(what: string, queueId: number): Promise<void> {
  await observer.query('begin');
  try {
    await observer.query('select from queue_state where queue_id <> $1 for no key update nowait', [queueId]);
    await observer.query('select id from instance for no key update nowait');
    await observer.query('select id from audit_head for no key update nowait');
  } catch (error) {
    assert.fail(`${what} holds another lock: ${(error as Error).message}`);
  } finally {
    await observer.query('rollback');
  }
}

describe('the locks of queues on PostgreSQL', { skip: ON_CITUS }, () => {
  let beside: List;
  let methods: Map<string, string>;
  before(async () => {
    service = await startService('postgres', {
      environment: { ...LOOPBACK, DOORLIST_PUBLIC_URL: 'https://doorlist.example' },
    });
    admin = await adminClient(service);
    succeeded(await admin.post('/environments', { name: 'staging' }), 201);
    beside = await service.waitlist();
    const { body } = await service.request<Document>('GET', '/admin/openapi.json');
    methods = new Map(
      operationsOf(body)
        .filter(({ path, method }) => method !== 'get' && !OF_OPERATORS.test(path))
        .map(({ method, operation }) => [operation.operationId, method.toUpperCase()]),
    );
    const connectionString = service.storage.environment.DATABASE_URL;
    [holder, observer] = [new pg.Client({ connectionString }), new pg.Client({ connectionString })];
    await Promise.all([holder.connect(), observer.connect()]);
  });
  after(async () => {
    await Promise.all([holder.end(), observer.end()]);
    await service.close();
  });

  it('are tried with every operation that changes a waitlist', () => {
    assert.deepEqual(Object.keys(CHANGES).sort(), [...methods.keys()].sort());
  });

  for (const [operation, prepare] of Object.entries(CHANGES)) {
    it(`are taken one at a time by ${operation}, while people join the others`, async (test) => {
      test.after(() => holder.query('rollback')); // If it fails half-way.
      const { rows } = await holder.query('select pg_backend_pid() as pid');
      for (const environment of ['production', 'development', 'staging', 'another list']) {
        const list = await service.waitlist();
        const { gets = 200, path, body, rawBody, type } = await prepare(list);
        const queue = environment === 'another list' ? await beside.queue() : await list.queue(environment);
        const what = `${operation}, with ${environment} locked,`;
        await holder.query('begin');
        await holder.query('select from queue_state where queue_id = $1 for no key update', [queue.id]);
        const calling = admin.request(methods.get(operation) ?? '', path, {
          ...(rawBody === undefined ? { body } : { rawBody }),
          ...(type === undefined ? {} : { headers: { 'content-type': type } }),
        });
        const state = await blockedOrDone(calling, rows[0].pid);
        if (state === 'blocked') {
          await assertNothingElseLocked(what, queue.id);
          if (environment !== 'another list')
            assert.equal((await beside.signup({ email: `${unique('p')}@example.com` })).status, 201, what);
        }
        await holder.query('commit');
        const answer = await calling;
        assert.equal(answer.status, gets, `${what} ${answer.text}`);
        assert.ok(state === 'done' || environment !== 'another list', `${what} waits for a foreign queue`);
      }
    });
  }
});
