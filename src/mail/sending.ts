import { DatabaseUnavailable } from '../db/database.ts';
import type { Context } from '../waitlist/queue/context.ts';
import type { Sending } from './render.ts';

interface SendingSettings {
  publicUrl: string;
  mailFrom: string;
}

/** Written when a server starts. The last one to start decides. A read-only database keeps what it has. */
export async function rememberSending(
  { db, log }: Pick<Context, 'db' | 'log'>,
  { publicUrl, mailFrom }: SendingSettings,
): Promise<void> {
  try {
    await db.query.updateTable('instance').set({ public_url: publicUrl, mail_from: mailFrom }).execute();
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
  { publicUrl, mailFrom }: SendingSettings,
): Promise<Sending> {
  const row = await db.query.selectFrom('instance').select(['public_url', 'mail_from']).executeTakeFirst();
  return { publicUrl: row?.public_url ?? publicUrl, defaultFrom: row?.mail_from ?? mailFrom };
}
