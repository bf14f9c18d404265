import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import type { Engine } from '../../src/db/database.ts';
import type { MailSummary } from '../../src/mail/mail-log.ts';
import { listMails } from '../../src/mail/mailbox.ts';
import type { MailState, OptionalKind } from '../../src/mail/templates/kinds.ts';
import { updateMailSettings } from '../../src/mail/update-settings.ts';
import type { Context } from '../../src/waitlist/queue/context.ts';
import type { Queue } from '../../src/waitlist/queue/queue.ts';
import { updateWaitlist } from '../../src/waitlist/settings/update-waitlist.ts';
import { eventually, type List } from './harness.ts';
import { type MailServer, type ReceivedMail, startMailServer } from './mail-server.ts';
import { unique } from './storage.ts';
import { type SendingOptions, startSending, until } from './webhooks.ts';

export const PUBLIC_URL = 'https://doorlist.example';

export function startMailing(engine: Engine, server?: Pick<MailServer, 'url'>, options: SendingOptions = {}) {
  return startSending(engine, {
    ...options,
    dispatcher: { mailPausesMs: [50], ...options.dispatcher },
    environment: {
      DOORLIST_PUBLIC_URL: PUBLIC_URL,
      ...(server ? { DOORLIST_SMTP_URL: server.url, DOORLIST_MAIL_FROM: 'hello@acme.example' } : {}),
      ...options.environment,
    },
  });
}

export type Mailing = Awaited<ReturnType<typeof startMailing>>;

/** A mail server and a service that sends to it, for the duration of the suite. */
export function withMailing(
  engine: Engine,
  ready: (made: { server: MailServer; service: Mailing }) => void,
): void {
  let end = async () => {};
  before(async () => {
    const server = await startMailServer();
    const service = await startMailing(engine, server);
    end = async () => {
      await service.close();
      await server.close();
    };
    ready({ server, service });
  });
  after(() => end());
}

export interface MailingList extends List {
  /** In the subject of each of its mails, and of no others. */
  name: string;
}

/** A waitlist with these kinds of mail enabled. */
export async function mailingList(
  service: Mailing,
  kinds: OptionalKind[],
  { confirm = false }: { confirm?: boolean } = {},
): Promise<MailingList> {
  const name = unique('Acme ');
  const list = await service.waitlist({ name });
  await updateMailSettings(service.context, list.id, { kinds });
  if (confirm) await updateWaitlist(service.context, list.id, { confirmEmails: true });
  return { ...list, name };
}

export function mailsOf(server: MailServer, { name }: MailingList): ReceivedMail[] {
  return server.received.filter(({ parsed }) => parsed.text?.includes(name));
}

/** Waits for exactly this many mails of a waitlist. */
export async function mailsArrived(
  server: MailServer,
  list: MailingList,
  count: number,
): Promise<ReceivedMail[]> {
  await until(`${count} mails of ${list.name}`, () => mailsOf(server, list).length >= count);
  assert.equal(mailsOf(server, list).length, count);
  return mailsOf(server, list);
}

export function header({ parsed }: ReceivedMail, name: string): string | undefined {
  return parsed.headers.find(({ key }) => key === name)?.value;
}

/** Waits until the mailbox of a queue has one mail that ended in this state. */
export async function mailInState(service: Mailing, queue: Queue, state: MailState): Promise<MailSummary> {
  const found = async () => {
    const { mails } = await listMails(service.context, queue, { limit: 200 });
    return mails.find((mail) => mail.state === state);
  };
  const mail = await eventually(found, (one) => one !== undefined);
  assert.ok(mail, `no mail is ${state}`);
  return mail;
}

/** Waits until an attempt at the only mail of a queue has failed and the next one is scheduled. */
export async function mailPutOff(service: Mailing, queue: Queue): Promise<MailSummary> {
  let mail: MailSummary | undefined;
  await until('an attempt failed', async () => {
    mail = await mailInState(service, queue, 'pending');
    return mail.error !== null;
  });
  return mail as MailSummary;
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

/** Waits until nothing of a queue is left to send: what has not arrived by then never will. */
export async function nothingPending({ db }: Context, list: List): Promise<void> {
  const { id } = await list.queue();
  await until('nothing is pending', async () => {
    const due = db.query.selectFrom('delivery').select('event_id').where('queue_id', '=', id);
    return (await due.where('due_at', 'is not', null).execute()).length === 0;
  });
}

export async function allSent(service: Mailing, queue: Queue): Promise<void> {
  await until('every mail was sent', async () => {
    const { mails } = await listMails(service.context, queue, { limit: 200 });
    return mails.every(({ state }) => state === 'sent');
  });
}
