import assert from 'node:assert/strict';
import createClient from 'openapi-fetch';
import type { components, paths } from './generated.ts';

type Schemas = components['schemas'];

const { url, key, code, delivery } = JSON.parse(process.argv[2] ?? '');
const client = createClient<paths>({ baseUrl: url, headers: { Authorization: `Bearer ${key}` } });

const byEmail: Schemas['SignupEntry'] = { email: 'grace@example.com', metadata: { plan: 'pro' } };
const byPhone: Schemas['SignupEntry'] = { phone: '+14155550123', referredBy: 'grace@example.com' };
// @ts-expect-error An entry has an email or a phone.
const nobody: Schemas['SignupEntry'] = { referredBy: 'grace@example.com' };
// @ts-expect-error There is no such field.
const typo: Schemas['SignupEntry'] = { email: 'grace@example.com', refferedBy: 'ada@example.com' };

const signUp = (entries: Schemas['SignupEntry'][]) =>
  client.POST('/sdk/v1/waitlist/signup', { body: { waitlistId: 'wl_acme', entries } });
const { data: result, response } = await signUp([byEmail, byPhone]);
assert.equal(response.status, 201);
assert.deepEqual(result, { success: true, created: 2, skipped: 0 });
for (const wrong of [nobody, typo]) {
  const { error } = await signUp([wrong]);
  assert.equal(error?.code, 'invalid_request');
}

const path = { waitlistId: 'wl_acme' };
const { data: page } = await client.GET('/sdk/v1/waitlist/{waitlistId}/entries', {
  params: { path, query: { limit: 1, sort: 'position', status: 'waiting' } },
});
const [first] = page?.entries ?? [];
assert.equal(first?.position, 1);
assert.equal(page?.total, 2);
const next: string | null | undefined = page?.nextCursor;
assert.equal(typeof next, 'string');

const { data: entry } = await client.GET('/sdk/v1/waitlist/{waitlistId}/entries/{email}', {
  params: { path: { ...path, email: 'grace@example.com' } },
});
assert.equal(entry?.referrals, 1);
assert.equal(entry?.status satisfies Schemas['EntryStatus'] | undefined, 'waiting');
// @ts-expect-error There is no such status.
assert.notEqual(entry?.status satisfies 'waiting' | 'gone' | undefined, 'gone');

function tellInvite(check: Schemas['InviteCheck']): string {
  // @ts-expect-error Only a valid code has an email.
  void check.email;
  // @ts-expect-error Only one that is not valid has a reason.
  void check.reason;
  return check.valid ? `${check.email} to ${check.waitlist.name}` : check.reason;
}
const inviteOf = async (which: string) => {
  const { data } = await client.GET('/sdk/v1/waitlist/invites/{code}', {
    params: { path: { code: which } },
  });
  return data && tellInvite(data);
};
assert.equal(await inviteOf(code), 'ada@example.com to Acme');
assert.equal(await inviteOf('unknown'), 'not_found');

const accept = (body?: Schemas['AcceptRequest']) =>
  client.POST('/sdk/v1/waitlist/invites/{code}/accept', {
    params: { path: { code }, header: { 'Idempotency-Key': '1' } },
    ...(body ? { body } : {}),
  });
assert.equal((await accept({ email: 'grace@example.com' })).error?.code, 'email_mismatch');
assert.equal((await accept()).data?.waitlist.id, 'wl_acme');
assert.equal(await inviteOf(code), 'accepted');

function tellVerification(verification: Schemas['Verification']): string {
  // @ts-expect-error Only one that failed has a reason.
  void verification.reason;
  return verification.verified ? JSON.stringify(verification.event) : verification.reason;
}
const verify = async (body: Schemas['VerificationRequest']) => {
  const { data } = await client.POST('/sdk/v1/waitlist/webhooks/verify', { body });
  return data && tellVerification(data);
};
assert.equal(await verify(delivery), '{"event":"signup.created"}');
assert.equal(await verify({ ...delivery, payload: '{}' }), 'signature_mismatch');

function tellEvent(event: Schemas['WebhookEvent']): string | null {
  switch (event.event) {
    case 'signup.created':
      // @ts-expect-error There is no invite yet.
      void event.data.invite;
      return event.data.entry.email;
    case 'invite.sent':
      return event.data.entry?.email ?? event.data.invite.email;
    default:
      return event.id;
  }
}
assert.equal(typeof tellEvent, 'function');
