import type { Trx } from '../../db/database.ts';
import { UniqueViolation } from '../../db/database.ts';
import { DoorlistError, invalid, notFound } from '../../errors.ts';
import { randomCode } from '../../ids.ts';
import type { SealingKey } from '../../vault/crypto.ts';
import type { Keyring } from '../../vault/keyring.ts';
import { changeSettings } from '../queue/change-settings.ts';
import type { Context } from '../queue/context.ts';
import { isWaitlistId, TAG_CHARACTERS } from '../queue/directory.ts';

export const DEFAULT_BOOST = 5;
const NAME_CHARACTERS_MAX = 200;
const PAGE = 1_000;

export interface WaitlistSummary {
  id: string;
  name: string;
  boost: number;
  referralCap: number | null;
  inviteExpiryMs: number | null;
  returnToQueue: boolean;
  confirmEmails: boolean;
  closedAt: number | null;
  createdAt: number;
}

export function checkName(name: string): void {
  if (name.trim() === '' || name.length > NAME_CHARACTERS_MAX || /\p{Cc}/u.test(name)) {
    throw invalid(`name: must be 1 to ${NAME_CHARACTERS_MAX} characters`);
  }
}

export async function createWaitlist(
  context: Context,
  input: { id: string; name: string },
): Promise<WaitlistSummary> {
  const name = input.name.trim();
  checkName(name);
  if (!isWaitlistId(input.id)) {
    throw invalid(
      'id: must be wl_ followed by 1 to 62 characters of a-z, 0-9, _ and -, starting with a letter or digit',
    );
  }
  const now = context.clock();
  try {
    await changeSettings(context, async (trx, master) => {
      const { id } = await trx
        .insertInto('waitlist')
        .values({ public_id: input.id, name, boost: DEFAULT_BOOST, closed_at: null, created_at: now })
        .returning('id')
        .executeTakeFirstOrThrow();
      const environments = await trx.selectFrom('environment').select('name').execute();
      for (const environment of environments) {
        await insertQueue(trx, context.keyring, master, id, environment.name, now);
      }
    });
  } catch (error) {
    if (error instanceof UniqueViolation)
      throw new DoorlistError('invalid_request', `id: ${input.id} already exists`);
    throw error;
  }
  const [created] = await listWaitlists(context, { id: input.id });
  return created as WaitlistSummary;
}

export async function createEnvironment(context: Context, name: string): Promise<void> {
  if (!/^[a-z][a-z0-9-]{0,31}$/.test(name)) {
    throw invalid('environment: must be 1 to 32 characters of a-z, 0-9 and -, starting with a letter');
  }
  const now = context.clock();
  try {
    await changeSettings(context, async (trx, master) => {
      await trx.insertInto('environment').values({ name, created_at: now }).execute();
      for (const { id } of await trx.selectFrom('waitlist').select('id').execute()) {
        await insertQueue(trx, context.keyring, master, id, name, now);
      }
    });
  } catch (error) {
    if (error instanceof UniqueViolation) throw invalid(`environment: ${name} already exists`);
    throw error;
  }
}

export async function listEnvironments({ db }: Context): Promise<string[]> {
  const rows = await db.query
    .selectFrom('environment')
    .select('name')
    .orderBy('created_at')
    .orderBy('name')
    .execute();
  return rows.map(({ name }) => name);
}

async function insertQueue(
  trx: Trx,
  keyring: Keyring,
  master: SealingKey,
  waitlistId: number,
  environment: string,
  now: number,
): Promise<void> {
  const tag = randomCode(TAG_CHARACTERS);
  await trx
    .insertInto('queue')
    .values({
      waitlist_id: waitlistId,
      environment,
      code_tag: tag,
      wrapped_keys: keyring.wrapNewKeys(master, tag),
      last_seq: 0,
      pending: 0,
      waiting: 0,
      invited: 0,
      joined: 0,
      removed: 0,
      created_at: now,
    })
    .execute();
}

/** Returns a page of waitlists sorted by id: those after `after`, or only the one with `id`. */
export async function listWaitlists(
  { db }: Context,
  which: { after?: string; id?: string } = {},
): Promise<WaitlistSummary[]> {
  let query = db.query.selectFrom('waitlist').selectAll().orderBy('public_id').limit(PAGE);
  if (which.after !== undefined) query = query.where('public_id', '>', which.after);
  if (which.id !== undefined) query = query.where('public_id', '=', which.id);
  return (await query.execute()).map((row) => ({
    id: row.public_id,
    name: row.name,
    boost: row.boost,
    referralCap: row.referral_cap,
    inviteExpiryMs: row.invite_expiry_ms,
    returnToQueue: row.expired_stay_invited === 0,
    confirmEmails: row.confirm_emails === 1,
    closedAt: row.closed_at,
    createdAt: row.created_at,
  }));
}

export async function listAllWaitlists(context: Context): Promise<WaitlistSummary[]> {
  const all: WaitlistSummary[] = [];
  for (;;) {
    const last = all.at(-1);
    const page = await listWaitlists(context, last === undefined ? {} : { after: last.id });
    all.push(...page);
    if (page.length < PAGE) return all;
  }
}

/** A closed waitlist accepts no new signups. Everything else keeps working. */
export async function setWaitlistClosed(context: Context, id: string, closed: boolean): Promise<void> {
  await changeSettings(context, async (trx) => {
    const { numUpdatedRows } = await trx
      .updateTable('waitlist')
      .set({ closed_at: closed ? context.clock() : null })
      .where('public_id', '=', id)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw notFound(`there is no waitlist ${id}`);
    await context.audit?.(trx, {
      action: closed ? 'waitlist.closed' : 'waitlist.opened',
      object: { kind: 'waitlist', id },
    });
  });
}
