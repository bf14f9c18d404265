import { DatabaseUnavailable } from '../db/database.ts';
import type { Context } from '../waitlist/queue/context.ts';
import type { Sending } from './render.ts';
import { NO_MAIL_SERVER } from './smtp/pauses.ts';

interface SendingSettings {
  publicUrl: string;
  mailFrom: string;
  /** undefined if mails stay in the mailbox. */
  smtpUrl: string | undefined;
}

/** Written when a server starts. The last one to start decides. A read-only database keeps what it has. */
export async function rememberSending(
  { db, log, clock }: Pick<Context, 'db' | 'log' | 'clock'>,
  { publicUrl, mailFrom, smtpUrl }: SendingSettings,
): Promise<void> {
  try {
    await db.query.updateTable('instance').set({ public_url: publicUrl, mail_from: mailFrom }).execute();
    await db.query.deleteFrom('mail_pause').where('name', '=', NO_MAIL_SERVER).execute();
    if (smtpUrl === undefined) {
      const row = { name: NO_MAIL_SERVER, error: NO_MAIL_SERVER, answer: null };
      await db.query
        .insertInto('mail_pause')
        .values({ ...row, since: clock(), tried_at: clock() })
        .onConflict((known) => known.doNothing())
        .execute();
    }
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable)) throw error;
    log.warn({ reason: error.message }, 'the public URL was not stored: commands may show other links');
  }
}

/**
 * As the server sends mails, whatever this process's variables are. They only apply until a server has
 * started.
 */
export async function sendingOf(
  { db }: Pick<Context, 'db'>,
  { publicUrl, mailFrom }: Pick<SendingSettings, 'publicUrl' | 'mailFrom'>,
): Promise<Sending> {
  const row = await db.query.selectFrom('instance').select(['public_url', 'mail_from']).executeTakeFirst();
  return { publicUrl: row?.public_url ?? publicUrl, defaultFrom: row?.mail_from ?? mailFrom };
}

/** Whether the server sends mails, as far as one has started. Until then, whether this process would. */
export async function hasMailServer(
  { db }: Pick<Context, 'db'>,
  { smtpUrl }: Pick<SendingSettings, 'smtpUrl'>,
): Promise<boolean> {
  const instance = await db.query.selectFrom('instance').select('mail_from').executeTakeFirst();
  if (!instance?.mail_from) return smtpUrl !== undefined;
  const none = await db.query
    .selectFrom('mail_pause')
    .select('name')
    .where('name', '=', NO_MAIL_SERVER)
    .executeTakeFirst();
  return none === undefined;
}
