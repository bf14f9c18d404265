import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TSchema } from 'typebox';
import { newId } from '../lib/ids.ts';
import type { Entry } from '../waitlist/entries/entry.ts';
import { EntrySchema, presentEntry } from './entry.ts';
import { presentEventData } from './event.ts';
import { InviteSchema, presentInvite } from './invite.ts';
import { presentWaitlistReference, WaitlistReferenceSchema } from './waitlist.ts';

const NOW = Date.UTC(2026, 10, 15, 9, 30);
const ADDED = { addedLater: 'not for the public' };

const entry: Entry = {
  seq: 1,
  id: newId(NOW),
  email: 'ada@example.com',
  phone: null,
  missing: null,
  metadata: { plan: 'pro' },
  language: null,
  byForm: false,
  importedCode: null,
  status: 'waiting',
  position: 1,
  referrals: 0,
  referralCode: 'k3v9x0ab',
  referrerId: null,
  referredBy: null,
  createdAt: NOW,
  invitedAt: null,
  joinedAt: null,
  ...ADDED,
};
const invite = { id: newId(NOW), email: 'ada@example.com', expiresAt: NOW, code: 'secret', ...ADDED };
const waitlist = { internalId: 1, id: 'wl_acme', name: 'Acme', ...ADDED };

describe('presented values', () => {
  const fieldsOf = (schema: TSchema) => Object.keys((schema as { properties?: object }).properties ?? {});

  it('have exactly the fields of their schema, in that order, whatever else the domain holds', () => {
    assert.deepEqual(Object.keys(presentEntry(entry)), fieldsOf(EntrySchema));
    assert.deepEqual(Object.keys(presentInvite(invite)), fieldsOf(InviteSchema));
    assert.deepEqual(Object.keys(presentWaitlistReference(waitlist)), fieldsOf(WaitlistReferenceSchema));
  });

  it('show webhooks no invite code, and no more of an entry than the API does', () => {
    const sent = { kind: 'invite.sent', invite, entry: 1, ...ADDED } as const;
    assert.deepEqual(presentEventData(sent, entry), {
      invite: presentInvite(invite),
      entry: presentEntry(entry),
    });
  });
});
