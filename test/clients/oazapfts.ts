import assert from 'node:assert/strict';
import {
  acceptInvite,
  checkInvite,
  createSignups,
  defaults,
  type EntryStatus,
  getEntry,
  type InviteCheck,
  listEntries,
  type SignupEntry,
  type Verification,
  verifyWebhook,
  type WebhookEvent,
} from './generated.ts';

const { url, key, code, delivery } = JSON.parse(process.argv[2] ?? '');
defaults.baseUrl = url;
defaults.headers = { Authorization: `Bearer ${key}` };

const byEmail: SignupEntry = { email: 'grace@example.com', metadata: { plan: 'pro' } };
const byPhone: SignupEntry = { phone: '+14155550123', referredBy: 'grace@example.com' };
// @ts-expect-error An entry has an email or a phone.
const nobody: SignupEntry = { referredBy: 'grace@example.com' };
// @ts-expect-error There is no such field.
const typo: SignupEntry = { email: 'grace@example.com', refferedBy: 'ada@example.com' };

const signup = await createSignups({ waitlistId: 'wl_acme', entries: [byEmail, byPhone] });
assert.ok(signup.status === 201);
assert.deepEqual(signup.data, { success: true, created: 2, skipped: 0 });
for (const wrong of [nobody, typo]) {
  const refused = await createSignups({ waitlistId: 'wl_acme', entries: [wrong] });
  assert.ok(refused.status === 400);
  assert.equal(refused.data.code, 'invalid_request');
}

const page = await listEntries('wl_acme', { limit: 1, sort: 'position', status: 'waiting' });
assert.ok(page.status === 200);
assert.equal(page.data.entries[0]?.position, 1);
assert.equal(page.data.total, 2);
const next: string | null = page.data.nextCursor;
assert.equal(typeof next, 'string');

const found = await getEntry('wl_acme', 'grace@example.com');
assert.ok(found.status === 200);
assert.equal(found.data.referrals, 1);
assert.equal(found.data.status satisfies EntryStatus, 'waiting');
// @ts-expect-error There is no such status.
assert.notEqual(found.data.status satisfies 'waiting' | 'gone', 'gone');

function tellInvite(check: InviteCheck): string {
  // @ts-expect-error Only a valid code has an email.
  void check.email;
  // @ts-expect-error Only one that is not valid has a reason.
  void check.reason;
  return check.valid ? `${check.email} to ${check.waitlist.name}` : check.reason;
}
const inviteOf = async (which: string) => {
  const check = await checkInvite(which);
  return check.status === 200 ? tellInvite(check.data) : check.data.code;
};
assert.equal(await inviteOf(code), 'ada@example.com to Acme');
assert.equal(await inviteOf('unknown'), 'not_found');

const foreign = await acceptInvite(code, { email: 'grace@example.com' });
assert.ok(foreign.status === 409);
assert.equal(foreign.data.code, 'email_mismatch');
const accepted = await acceptInvite(code, undefined, { idempotencyKey: '1' });
assert.ok(accepted.status === 200);
assert.equal(accepted.data.waitlist.id, 'wl_acme');
assert.equal(await inviteOf(code), 'accepted');

function tellVerification(verification: Verification): string {
  // @ts-expect-error Only one that failed has a reason.
  void verification.reason;
  return verification.verified ? JSON.stringify(verification.event) : verification.reason;
}
const verify = async (payload: string) => {
  const verification = await verifyWebhook({ ...delivery, payload });
  return verification.status === 200 ? tellVerification(verification.data) : verification.data.code;
};
assert.equal(await verify(delivery.payload), '{"event":"signup.created"}');
assert.equal(await verify('{}'), 'signature_mismatch');

function tellEvent(event: WebhookEvent): string | null {
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
