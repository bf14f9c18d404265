import type { Engine } from '../../src/db/database.ts';
import type { MailKind } from '../../src/events/emails/kinds.ts';
import { updateMailSettings } from '../../src/events/emails/update-settings.ts';
import type { Context } from '../../src/waitlist/context.ts';
import { updateWaitlist } from '../../src/waitlist/update-waitlist.ts';
import type { List, ServiceOptions } from './harness.ts';
import type { MailServer } from './mail-server.ts';
import { startSending, until } from './webhooks.ts';

export const PUBLIC_URL = 'https://doorlist.example';

export function startMailing(engine: Engine, server?: MailServer, options: ServiceOptions = {}) {
  return startSending(engine, {
    ...options,
    environment: {
      DOORLIST_PUBLIC_URL: PUBLIC_URL,
      ...(server ? { DOORLIST_SMTP_URL: server.url, DOORLIST_MAIL_FROM: 'hello@acme.example' } : {}),
      ...options.environment,
    },
  });
}

export type Mailing = Awaited<ReturnType<typeof startMailing>>;

/** A waitlist on which these kinds of mail are switched on. */
export async function mailingList(
  service: Mailing,
  kinds: MailKind[],
  { confirm = false, name = 'Acme' }: { confirm?: boolean; name?: string } = {},
): Promise<List> {
  const list = await service.waitlist({ name });
  await updateMailSettings(service.context, list.id, { kinds });
  if (confirm) await updateWaitlist(service.context, list.id, { confirmEmails: true });
  return list;
}

export async function mailsArrived(server: MailServer, count: number): Promise<void> {
  await until(
    `${count} mails arrived, there are ${server.received.length}`,
    () => server.received.length >= count,
  );
}

export async function countMails({ db }: Context, list: List): Promise<number> {
  const { id } = await list.queue();
  const rows = await db.query
    .selectFrom('delivery')
    .select('event_id')
    .where('queue_id', '=', id)
    .where('channel', '=', 'email')
    .execute();
  return rows.length;
}
