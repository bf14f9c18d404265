import type { Config } from '../config/config.ts';
import { allowList } from '../lib/addresses.ts';
import { DAY_MS } from '../lib/time.ts';
import { openAccounts } from '../mail/operators/notices.ts';
import { updateMailSettings } from '../mail/update-settings.ts';
import { auditAs } from '../operators/audit.ts';
import type { OperatorContext } from '../operators/context.ts';
import { inviteOperator } from '../operators/operators.ts';
import { type Actor, referenceTo } from '../operators/roles.ts';
import { completeSetup, setupToken } from '../operators/setup.ts';
import { createToken } from '../operators/tokens.ts';
import { createCode } from '../waitlist/codes/change-codes.ts';
import { updateForm } from '../waitlist/forms/update-form.ts';
import { acceptInvite } from '../waitlist/gate/accept-invite.ts';
import { createKey } from '../waitlist/keys/server-keys.ts';
import type { Person } from '../waitlist/people/person.ts';
import type { Context } from '../waitlist/queue/context.ts';
import type { Queue } from '../waitlist/queue/queue.ts';
import { dismissFirstSteps } from '../waitlist/settings/first-steps.ts';
import { createWaitlist } from '../waitlist/settings/waitlists.ts';
import { createWave } from '../waitlist/waves/change-waves.ts';
import { createEndpoint } from '../webhooks/change-endpoints.ts';
import { createGuard } from '../webhooks/guard.ts';
import { FLAKY_PATH, RECEIVER_HOST } from './receiver.ts';

export const OWNER_EMAIL = 'owner@orbit.example';
export const BETA = 'wl_orbit';
export const TEAMS = 'wl_orbit_teams';

/** The owner's account, and a context in which everything is done in the owner's name. */
export async function createOwner(context: Context, password: string) {
  const accounts = await openAccounts(context);
  const input = { token: setupToken(accounts), email: OWNER_EMAIL, name: 'Robin Hale', password };
  const { id, email, role } = await completeSetup(accounts, input, RECEIVER_HOST);
  const actor: Actor = { kind: 'operator', id, name: email, role, address: RECEIVER_HOST };
  const owned: Context = { ...context, audit: auditAs(accounts, actor), actor: referenceTo(actor) };
  return { accounts, actor, owned };
}

export async function createTeam(accounts: OperatorContext, actor: Actor): Promise<void> {
  await inviteOperator(accounts, actor, { email: 'sam@orbit.example', name: 'Sam Ortiz', role: 'admin' });
  await inviteOperator(accounts, actor, { email: 'help@orbit.example', name: 'Mina Koch', role: 'support' });
  await inviteOperator(accounts, actor, { email: 'board@orbit.example', role: 'viewer' });
  await createToken(accounts, actor, { name: 'Terraform', role: 'admin', expiresAt: null });
}

export async function createProduct(context: Context): Promise<void> {
  await createWaitlist(context, {
    id: BETA,
    name: 'Orbit Beta',
    confirmEmails: true,
    inviteExpiryMs: 7 * DAY_MS,
    metadataKeys: ['source', 'plan', 'role'],
  });
  await updateMailSettings(context, BETA, { kinds: [] }); // Until `turnOnMails`: thousands say no more than hundreds.
  await createWaitlist(context, { id: TEAMS, name: 'Orbit for Teams', metadataKeys: ['source'] });
  for (const id of [BETA, TEAMS]) await dismissFirstSteps(context, id); // The demo is past its first hour.
  for (const environment of ['production', 'development'])
    await createKey(context, { waitlistId: BETA, environment, canRead: true, expiresAt: null });
  await createKey(context, { waitlistId: null, environment: 'production', canRead: true, expiresAt: null });
}

/** Some on each weekday, until two of five have joined. */
export async function planWave(context: Context, queue: Queue, people: number, share: number): Promise<void> {
  await createWave(context, queue, {
    name: 'Weekday mornings',
    count: Math.max(1, Math.round(people * share)),
    schedule: {
      timeZone: 'Europe/Berlin',
      time: '09:00',
      repeat: 'weekly',
      days: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'],
    },
    untilJoined: Math.max(2, Math.round(people * 0.4)),
  });
}

/** Two codes for many, with some of those who wait let in. */
export async function shareCodes(context: Context, queue: Queue, people: number, now: number): Promise<void> {
  const most = Math.max(4, Math.round(people / 200));
  const codes = [
    { code: 'FRIENDS-OF-ADA', limit: most, used: Math.round(most * 0.7), tag: 'podcast', expiresAt: null },
    { code: 'PLANNERS-CONF', limit: 2, used: 2, tag: 'planners-conf', expiresAt: now + 30 * DAY_MS },
  ];
  const guests = await waitingEmails(context, queue, most * 2);
  for (const { code, used, ...rest } of codes) {
    await createCode(context, queue, { code, does: 'admit', ...rest });
    for (const email of guests.splice(0, used)) await acceptInvite(context, { code, email });
  }
}

/** Of those who joined last. */
async function waitingEmails({ db }: Context, queue: Queue, most: number): Promise<string[]> {
  const rows = await db.query
    .selectFrom('entry')
    .select(['id', 'person'])
    .where('queue_id', '=', queue.id)
    .where('status', '=', 'waiting')
    .where('email_hash', 'is not', null)
    .orderBy('seq', 'desc')
    .limit(most)
    .execute();
  return rows.flatMap(
    ({ id, person }) => (person && queue.vault.open<Person>('entry.person', id, person).email) ?? [],
  );
}

export async function turnOnForm(context: Context, queue: Queue): Promise<void> {
  await updateForm(context, queue, {
    enabled: true,
    headline: 'A calmer way to plan your week',
    text: 'Orbit is in private beta. Join the waitlist, and invite friends to move up.',
    buttonText: 'Join the waitlist',
    acceptedUrl: 'https://app.orbit.example/welcome',
    fields: [
      {
        name: 'role',
        label: 'What do you do?',
        type: 'choice',
        options: ['engineer', 'founder', 'designer', 'product', 'student'],
        required: false,
      },
    ],
  });
}

export async function turnOnMails(context: Context): Promise<void> {
  await updateMailSettings(context, BETA, {
    kinds: ['confirm', 'welcome', 'invite', 'invite-reminder', 'accepted'],
    from: 'hello@orbit.example',
    fromName: 'Orbit',
    footer: 'Orbit, 1 Example Street, Springfield',
    referralUrl: 'https://orbit.example/?ref={referralCode}',
  });
}

export async function turnOnWebhooks(
  context: Context,
  queue: Queue,
  config: Config,
  port: number,
): Promise<void> {
  const guard = createGuard(allowList(config.webhookAllow));
  const url = (path: string) => `http://${RECEIVER_HOST}:${port}${path}`;
  await createEndpoint(context, guard, queue, {
    url: url('/hooks/product'),
    description: 'Product: creates accounts for people who join',
    events: ['invite.sent', 'invite.accepted', 'invite.expired'],
  });
  await createEndpoint(context, guard, queue, {
    url: url(FLAKY_PATH),
    description: 'CRM: keeps contacts in sync',
  });
}
