import assert from 'node:assert/strict';
import { createClient, DoorlistError, verifyWebhook, WebhookError } from '@doorlist/client';

// Plain JavaScript, as it runs on every supported version of Node.
const { url, key, code, delivery } = JSON.parse(process.argv[2] ?? '');
const client = createClient({ url, key });

const result = await client.signup(
  'wl_acme',
  [{ email: 'grace@example.com' }, { email: 'linus@example.com', referredBy: 'grace@example.com' }],
  { returnEntries: true },
);
assert.deepEqual([result.created, result.skipped], [2, 0]);
assert.deepEqual(
  result.entries.map(({ position }) => position),
  [1, 2],
);
assert.equal((await client.entry('wl_acme', 'grace@example.com')).referrals, 1);
await assert.rejects(
  client.entry('wl_acme', 'nobody@example.com'),
  (error) => error instanceof DoorlistError && error.code === 'not_found' && error.status === 404,
);

const emails = [];
for await (const { email } of client.entries('wl_acme', { limit: 1 })) emails.push(email);
assert.deepEqual(emails, ['grace@example.com', 'linus@example.com']);

assert.equal((await client.checkInvite(code)).valid, true);
assert.equal((await client.acceptInvite(code)).email, 'ada@example.com');
await assert.rejects(client.acceptInvite(code), { code: 'accepted' });

const { payload, headers, webhookSecret: secret } = delivery;
const names = {
  'webhook-id': headers.id,
  'webhook-timestamp': headers.timestamp,
  'webhook-signature': headers.signature,
};
const now = Number(headers.timestamp) * 1000;
assert.equal((await verifyWebhook(payload, names, { secret, now })).event, 'signup.created');
await assert.rejects(
  verifyWebhook(`${payload} `, names, { secret, now }),
  (error) => error instanceof WebhookError && error.reason === 'signature_mismatch',
);
await assert.rejects(
  client.signup('wl_acme', { email: 'late@example.com' }, { signal: AbortSignal.abort() }),
  { name: 'AbortError' },
);
