import type { Selectable } from 'kysely';
import type { Trx } from '../db/database.ts';
import type { OperatorTable } from '../db/tables.ts';
import { recordAudit, type Tell } from './audit.ts';
import type { OperatorContext } from './context.ts';
import { knownDevice, newDevice } from './devices.ts';
import { actorOf, type Operator, readOperator } from './operator.ts';
import { type Client, createSession, type SessionLimits } from './sessions.ts';

/** The browser that somebody signs in with, and its cookies. */
export interface SigningBrowser {
  client: Client;
  /** The session to replace. */
  session: string | undefined;
  /** The mark of an earlier sign-in. */
  device: string | undefined;
}

export interface SignedIn {
  operator: Operator;
  secret: string;
  device: string;
}

interface SessionParts {
  context: OperatorContext;
  limits: SessionLimits;
}

/** The last step of every way to sign in. */
export async function openSession(
  { context, limits }: SessionParts,
  trx: Trx,
  row: Selectable<OperatorTable>,
  { client, session, device }: SigningBrowser,
  now: number,
  tell: Tell,
  after?: { with: 'passkey' },
): Promise<SignedIn> {
  const { vault } = context;
  const operator = readOperator(vault, row);
  const isKnown = knownDevice(vault, row, device) !== undefined;
  if (!isKnown && (await hasSignedIn(trx, operator.id))) tell(operator, { kind: 'new-sign-in', ...client });
  const { id, secret } = await createSession(
    context,
    trx,
    row.id,
    { client, limits, replaces: session },
    now,
  );
  const event = {
    action: 'session.created' as const,
    object: { kind: 'session' as const, id },
    ...(after ? { after } : {}),
  };
  await recordAudit(context, trx, actorOf(operator, client.address), event, now);
  return { operator, secret, device: isKnown && device ? device : newDevice(vault, row) };
}

/** The first sign-in of all is not worth a warning. */
async function hasSignedIn(trx: Trx, id: string): Promise<boolean> {
  const found = await trx
    .selectFrom('audit')
    .select('seq')
    .where('actor', '=', `operator:${id}`)
    .where('action', '=', 'session.created')
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}
