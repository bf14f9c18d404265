import { suppress } from '../../src/waitlist/links/suppression.ts';
import { type AdminClient, succeeded } from './admin.ts';
import type { Answer, List, Service } from './harness.ts';
import { PNG } from './pictures.ts';
import { unique } from './storage.ts';
import { endpointFor } from './webhooks.ts';

export interface Call {
  path: string;
  body?: unknown;
  rawBody?: string | Uint8Array;
  type?: string;
  gets?: number;
}
export type Prepare = (list: List) => Promise<Call> | Call;

const WAVE = {
  name: 'Mornings',
  count: 5,
  schedule: { timeZone: 'Europe/Berlin', time: '09:00', repeat: 'daily' },
};
const SEGMENT = { name: 'Not confirmed', conditions: { status: 'pending' } };

const of = (list: List, rest = '') => `/waitlists/${list.id}${rest}`;
const idOf = (answer: Answer<unknown>) => (answer.body as { id: string }).id;

/** Prepares every operation that changes something of waitlists, for a new one. The others change operators, and know no queue. */
export function everyChange(on: () => { service: Service; admin: AdminClient }): Record<string, Prepare> {
  async function entryOf(list: List): Promise<string> {
    await list.signup({ email: 'ada@example.com', metadata: { plan: 'pro' } });
    const page = succeeded(await on().admin.get<{ entries: { id: string }[] }>(of(list, '/entries')));
    return page.entries[0]?.id ?? '';
  }

  async function inviteOf(list: List): Promise<string> {
    await entryOf(list);
    return idOf(await on().admin.post(of(list, '/invites'), { email: 'ada@example.com' }));
  }

  async function endpointOf(list: List): Promise<string> {
    return (await endpointFor(on().service.context, await list.queue(), 'http://127.0.0.1:9/')).id;
  }

  async function deliveryOf(list: List): Promise<{ endpoint: string; event: string }> {
    const endpoint = await endpointOf(list);
    await entryOf(list);
    const found = await on().admin.get<{ deliveries: { event: string }[] }>(
      of(list, `/webhooks/${endpoint}/deliveries`),
    );
    return { endpoint, event: succeeded(found).deliveries[0]?.event ?? '' };
  }

  async function mailOf(list: List): Promise<string> {
    succeeded(await on().admin.patch(of(list, '/mail/settings'), { kinds: ['welcome'] }));
    await entryOf(list);
    return (
      succeeded(await on().admin.get<{ mails: { id: string }[] }>(of(list, '/mails'))).mails[0]?.id ?? ''
    );
  }

  async function segmentOf(list: List): Promise<string> {
    return idOf(await on().admin.post(of(list, '/segments'), SEGMENT));
  }

  async function askedOf(list: List): Promise<string> {
    return idOf(await on().admin.post(of(list, `/entries/${await entryOf(list)}/erasure-request`)));
  }

  async function waveOf(list: List): Promise<string> {
    return idOf(await on().admin.post(of(list, '/waves'), WAVE));
  }

  async function codeOf(list: List): Promise<string> {
    return idOf(await on().admin.post(of(list, '/codes'), { limit: 3 }));
  }

  async function keyOf(path: string): Promise<string> {
    return idOf(await on().admin.post(path, path.endsWith('/mail-event-keys') ? { provider: 'plain' } : {}));
  }

  const changes: Record<string, Prepare> = {
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
      succeeded(await on().admin.put(path, { subject: 'Hello', body: 'Hello.' }));
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
      const sent = { delivered_at: on().service.clock.now, due_at: null };
      await on()
        .service.context.db.query.updateTable('delivery')
        .set(sent)
        .where('queue_id', '=', queueId)
        .execute();
      return { path: of(list, `/mails/${id}/resend`) };
    },
    removeSuppression: async (list) => {
      const queue = await list.queue();
      const hash = queue.vault.hash('email', 'ada@example.com');
      await suppress(on().service.context.db.query, queue, hash, 'bounced', on().service.clock.now);
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
      const id = idOf(await on().admin.request('POST', of(list, '/imports'), file));
      await on().service.runJobs();
      return { path: of(list, `/imports/${id}/undo`), gets: 202 };
    },
    createExport: (list) => ({ path: of(list, '/exports'), body: { format: 'csv' }, gets: 202 }),
    updateForm: (list) => ({ path: of(list, '/form'), body: { enabled: true } }),
    rotateFormKey: async (list) => {
      succeeded(await on().admin.patch(of(list, '/form'), { enabled: true }));
      return { path: of(list, '/form/rotate') };
    },
    decideReferralReview: async (list) => {
      await list.signup(
        { email: 'ada@example.com' },
        { email: 'bob@example.com', referredBy: 'ada@example.com' },
      );
      const id = Buffer.alloc(16, 7);
      const { id: queue_id } = await list.queue();
      const review = { queue_id, id, seq: 2, referrer_seq: 1, created_at: on().service.clock.now };
      await on().service.context.db.query.insertInto('referral_review').values(review).execute();
      const page = await on().admin.get<{ reviews: { id: string }[] }>(of(list, '/referral-reviews'));
      return {
        path: of(list, `/referral-reviews/${succeeded(page).reviews[0]?.id}`),
        body: { decision: 'reject' },
      };
    },
    cancelJob: async (list) => {
      const { rawBody = '', path } = await (changes.createImport as Prepare)(list);
      const headers = { 'content-type': 'text/csv' };
      return { path: `/jobs/${idOf(await on().admin.request('POST', path, { rawBody, headers }))}` };
    },
    previewForm: (list) => ({ path: of(list, '/form/preview'), body: {} }),
    uploadLogo: (list) => ({ path: of(list, '/logo'), rawBody: PNG, type: 'image/png' }),
    dismissFirstSteps: (list) => ({ path: of(list, '/first-steps/dismiss') }),
    createCode: (list) => ({ path: of(list, '/codes'), body: { limit: 3, tag: 'podcast' }, gets: 201 }),
    updateCode: async (list) => ({ path: of(list, `/codes/${await codeOf(list)}`), body: { limit: 4 } }),
    deleteCode: async (list) => ({ path: of(list, `/codes/${await codeOf(list)}`) }),
    createSegment: (list) => ({ path: of(list, '/segments'), body: SEGMENT, gets: 201 }),
    updateSegment: async (list) => ({ path: of(list, `/segments/${await segmentOf(list)}`), body: SEGMENT }),
    deleteSegment: async (list) => ({ path: of(list, `/segments/${await segmentOf(list)}`) }),
    createWave: (list) => ({ path: of(list, '/waves'), body: WAVE, gets: 201 }),
    updateWave: async (list) => ({ path: of(list, `/waves/${await waveOf(list)}`), body: { paused: true } }),
    stopWave: async (list) => ({ path: of(list, `/waves/${await waveOf(list)}`) }),
    updateInstance: () => ({ path: '/instance', body: { defaultTimeZone: 'Europe/Berlin' } }),
    confirmHealth: () => ({ path: '/health/confirmations', body: { check: 'backup', confirmed: true } }),
    updateRoles: () => ({ path: '/instance/roles', body: { support: { move: false } } }),
    updateAlerts: () => ({ path: '/health/alerts', body: { emails: true } }),
    testAlerts: async () => {
      succeeded(await on().admin.patch('/health/alerts', { webhookUrl: 'http://127.0.0.1:9/' }));
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
    createMailEventKey: (list) => ({
      path: of(list, '/mail-event-keys'),
      body: { provider: 'plain' },
      gets: 201,
    }),
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
    mergeEntries: async (list) => {
      const from = await entryOf(list);
      await list.signup({ email: 'ada@example.org' });
      const into = (await list.lookup('ada@example.org')).body.id;
      return { path: of(list, `/entries/${from}/merge`), body: { into } };
    },
    createRule: (list) => ({
      path: of(list, '/rules'),
      // biome-ignore lint/suspicious/noThenProperty: a field of the API, and never a function.
      body: { when: { domain: 'acme.com' }, then: 'decline' },
      gets: 201,
    }),
    deleteRule: async (list) => {
      // biome-ignore lint/suspicious/noThenProperty: a field of the API, and never a function.
      const rule = await on().admin.post(of(list, '/rules'), { when: { domain: 'a.com' }, then: 'decline' });
      return { path: of(list, `/rules/${idOf(rule)}`) };
    },
    approveEntry: async (list) => ({ path: of(list, `/entries/${await entryOf(list)}/approve`), body: {} }),
    declineEntry: async (list) => ({
      path: of(list, `/entries/${await entryOf(list)}/decline`),
      body: { note: 'Not for now.' },
    }),
    reconsiderEntry: async (list) => {
      const path = of(list, `/entries/${await entryOf(list)}`);
      succeeded(await on().admin.post(`${path}/decline`, {}));
      return { path: `${path}/reconsider`, body: {} };
    },
    decideEntries: async (list) => {
      const entries = [await entryOf(list)];
      return { path: of(list, '/decisions'), body: { decision: 'decline', entries }, gets: 202 };
    },
    requestErasure: async (list) => ({
      path: of(list, `/entries/${await entryOf(list)}/erasure-request`),
      body: { reason: 'Asked by phone.' },
      gets: 201,
    }),
    confirmErasure: async (list) => ({ path: of(list, `/erasure-requests/${await askedOf(list)}/confirm`) }),
    refuseErasure: async (list) => ({ path: of(list, `/erasure-requests/${await askedOf(list)}/refuse`) }),
    removeEntry: async (list) => {
      const id = await entryOf(list);
      return { path: of(list, `/entries/${id}`), body: { confirm: id } };
    },
    restoreEntry: async (list) => {
      const path = of(list, `/entries/${await entryOf(list)}`);
      succeeded(await on().admin.delete(path, {}));
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
  return changes;
}
