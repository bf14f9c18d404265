import type { Context } from '../waitlist/queue/context.ts';
import type { Sending } from './render.ts';

export interface SendingSettings {
  publicUrl: string;
  mailFrom: string;
}

/** Written down by a server when it starts; the last one to start decides. */
export async function rememberSending(
  { db }: Pick<Context, 'db'>,
  { publicUrl, mailFrom }: SendingSettings,
): Promise<void> {
  await db.query.updateTable('instance').set({ public_url: publicUrl, mail_from: mailFrom }).execute();
}

/** As the server sends mails, whatever the variables of this process are; they count until a server has started. */
export async function sendingOf(
  { db }: Pick<Context, 'db'>,
  { publicUrl, mailFrom }: SendingSettings,
): Promise<Sending> {
  const row = await db.query.selectFrom('instance').select(['public_url', 'mail_from']).executeTakeFirst();
  return { publicUrl: row?.public_url ?? publicUrl, defaultFrom: row?.mail_from ?? mailFrom };
}
