import { type Client, createClient, type Entry, verifyWebhook, type WebhookEvent } from '@doorlist/client';

/** Compiled, never run: what a TypeScript project sees of the package. */
export async function use(client: Client): Promise<void> {
  // @ts-expect-error An entry has an email or a phone.
  await client.signup('wl_acme', { metadata: {} });
  // @ts-expect-error There is no such field.
  await client.signup('wl_acme', [{ email: 'a@example.com', refferedBy: 'b@example.com' }]);
  const { entries } = await client.signup('wl_acme', { phone: '+14155550123' }, { returnEntries: true });
  entries?.[0]?.shareUrl satisfies string | null | undefined;
  // @ts-expect-error Only entries of a signup have links.
  void (await client.entry('wl_acme', 'a@example.com')).shareUrl;
  for await (const entry of client.entries('wl_acme', { status: 'waiting' })) entry satisfies Entry;
  client.entries('wl_acme', { status: undefined }, { signal: undefined });
  const { nextCursor } = await client.page('wl_acme', { cursor: undefined });
  await client.page('wl_acme', { cursor: nextCursor });
  // @ts-expect-error There is no such status.
  client.entries('wl_acme', { status: 'gone' });
  const invite = await client.checkInvite('code');
  // @ts-expect-error Only a valid code has an email.
  void invite.email;
  if (invite.valid) invite.email satisfies string | undefined;
  const event: WebhookEvent = await verifyWebhook('{}', new Headers(), { secret: 'whsec_x' });
  if (event.event === 'signup.created') event.data.entry.email satisfies string | null;
}

// @ts-expect-error An address is required.
createClient({ key: 'dl_live_x' });
