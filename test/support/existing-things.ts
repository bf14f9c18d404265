import assert from 'node:assert/strict';
import type { AdminClient } from './admin.ts';
import { succeeded } from './admin.ts';
import type { List } from './harness.ts';
import { unique } from './storage.ts';

/** One of each thing that an operation can be about, by the name of the parameter that says which. */
export async function existingThings(admin: AdminClient, list: List): Promise<Record<string, string>> {
  const path = `/waitlists/${list.id}`;
  const made = async <Body>(at: string, body: object = {}) => {
    const { status, text, body: answer } = await admin.post<Body>(at, body);
    assert.ok(status < 300, `${at}: ${text}`);
    return answer;
  };
  const created = async (at: string, body?: object) => (await made<{ id: string }>(at, body)).id;
  const first = async (at: string, name: string) => {
    const [one] = succeeded(await admin.get<Record<string, Record<string, string>[]>>(at))[name] ?? [];
    return one ?? {};
  };
  succeeded(await admin.patch(`${path}/mail/settings`, { kinds: ['welcome'] }));
  const endpointId = await created(`${path}/webhooks`, { url: 'http://127.0.0.1:9/' });
  await list.signup({ email: 'ada@example.com', metadata: { plan: 'pro' } }, { email: 'grace@example.com' });
  const invite = await list.invite('grace@example.com');
  const { operator } = await made<{ operator: { id: string } }>('/operators', {
    email: `${unique('o')}@example.com`,
    role: 'viewer',
  });
  const entryId = (await first(`${path}/entries`, 'entries')).id ?? '';
  const things = {
    ...{ waitlistId: list.id, endpointId, inviteId: invite.id, code: invite.code, operatorId: operator.id },
    ...{ email: 'ada@example.com', kind: 'welcome' },
    entryId,
    requestId: await created(`${path}/entries/${entryId}/erasure-request`),
    eventId: (await first(`${path}/webhooks/${endpointId}/deliveries`, 'deliveries')).event ?? '',
    mailId: (await first(`${path}/mails`, 'mails')).id ?? '',
    keyId: await created(`${path}/keys`),
    gateKeyId: await created(`${path}/gate-keys`),
    mailEventKeyId: await created(`${path}/mail-event-keys`, { provider: 'plain' }),
    segmentId: await created(`${path}/segments`, { name: 'Pending', conditions: { status: 'pending' } }),
    codeId: await created(`${path}/codes`, { limit: 3 }),
    waveId: await created(`${path}/waves`, {
      ...{ name: 'Mornings', count: 5 },
      schedule: { timeZone: 'Europe/Berlin', time: '09:00', repeat: 'daily' },
    }),
    // biome-ignore lint/suspicious/noThenProperty: a field of the API, and never a function.
    ruleId: await created(`${path}/rules`, { when: { domain: 'none.example' }, then: 'decline' }),
    tokenId: await created('/tokens', { name: 'ci', role: 'viewer' }),
    jobId: await created(`${path}/exports`, { format: 'csv' }),
  };
  for (const [name, id] of Object.entries(things)) assert.ok(id, `there is no ${name}`);
  return things;
}
