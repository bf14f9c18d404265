import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readConfig } from '../../src/config/config.ts';
import type { Document } from '../../src/http/docs/document.ts';
import { checkInstallation } from '../../src/installation/health.ts';
import { openContext } from '../../src/installation/open.ts';
import { ownCommands } from '../../src/installation/own-commands.ts';
import { createLogger } from '../../src/lib/log.ts';
import { type AppParts, buildApp } from '../../src/server/app.ts';
import { createInvite } from '../../src/waitlist/invites/create-invites.ts';
import { revokeInvite } from '../../src/waitlist/invites/end-invites.ts';
import { gateKeys } from '../../src/waitlist/keys/hook-keys.ts';
import { trackKeyUsage } from '../../src/waitlist/keys/key-usage.ts';
import { createKey } from '../../src/waitlist/keys/server-keys.ts';
import { mailEventKeys } from '../../src/waitlist/mail-events/mail-event-keys.ts';
import { updateWaitlist } from '../../src/waitlist/settings/update-waitlist.ts';
import { createWaitlist } from '../../src/waitlist/settings/waitlists.ts';
import { openSignups } from '../../src/waitlist/signup/signup.ts';

const LIMITS: AppParts['rateLimits'] = {
  inviteCheck: 1000,
  inviteAccept: 1000,
  verify: 1000,
  authFailures: 1000,
  perKey: 1000,
  signIn: 1000,
  form: 1000,
  formRead: 1000,
  formWaitlist: 1000,
};

/** A listening app with the waitlist, keys and invites of the reference's examples. */
export async function startReferenceApp(rateLimits: AppParts['rateLimits'] = LIMITS) {
  const directory = mkdtempSync(path.join(tmpdir(), 'doorlist-reference-'));
  let now = Date.parse('2026-11-15T09:30:00Z');
  const config = readConfig({ DOORLIST_DATA_DIR: directory });
  const context = await openContext(config, createLogger('silent'), () => now);
  const keyUsage = trackKeyUsage(context);
  const signups = openSignups(context, config.mostWaitingSignups);
  const { app, drain } = await buildApp({
    context,
    keyUsage,
    signups,
    rateLimits,
    trustedProxies: [],
    webhookAllow: [],
    publicUrl: config.publicUrl,
    emails: { from: config.mailFrom, smtp: config.smtpUrl !== undefined },
    commands: ownCommands(config),
    checkHealth: () => checkInstallation(context, config),
    sessions: config.sessions,
  });

  await createWaitlist(context, { id: 'wl_acme', name: 'Acme' });
  await createWaitlist(context, { id: 'wl_closed', name: 'Closed' });
  await updateWaitlist(context, 'wl_closed', { closed: true });
  const environment = 'production';
  const reader = await createKey(context, { waitlistId: null, environment, canRead: true, expiresAt: null });
  const writer = await createKey(context, {
    waitlistId: 'wl_acme',
    environment,
    canRead: false,
    expiresAt: null,
  });
  const queue = await context.registry.queue('wl_acme', environment);
  if (!queue) throw new Error('the waitlist has no queue');
  const gate = await gateKeys.create(context, queue);
  const mailEvents = await mailEventKeys.create(context, queue, { provider: 'plain' });
  const invite = async (expiresAt: number | null = null) =>
    (await createInvite(context, queue, { email: 'ada@example.com', expiresAt })).code;
  const codes = { live: await invite(), other: await invite(), revoked: '', expired: '' };
  codes.revoked = await invite();
  await revokeInvite(context, codes.revoked);
  codes.expired = await invite(now + 1000);
  now += 2000;

  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  return {
    app,
    url,
    codes,
    keys: { reader: reader.key, writer: writer.key, gate: gate.key, mailEvents: mailEvents.key },
    document: (await (await fetch(`${url}/openapi.json`)).json()) as Document,
    drain,
    close: async () => {
      app.server.closeAllConnections();
      await app.close();
      await keyUsage.close();
      await context.db.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

export type ReferenceApp = Awaited<ReturnType<typeof startReferenceApp>>;
