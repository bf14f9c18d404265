import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createTransport } from 'nodemailer';
import { readConfig } from '../src/config/config.ts';
import { openContext } from '../src/installation/open.ts';
import { startOutbox } from '../src/installation/start-outbox.ts';
import { createLogger } from '../src/lib/log.ts';
import { previewMail } from '../src/mail/preview.ts';
import { toMessage } from '../src/mail/smtp/smtp.ts';
import { updateMailSettings } from '../src/mail/update-settings.ts';
import type { Context } from '../src/waitlist/queue/context.ts';
import type { Queue } from '../src/waitlist/queue/queue.ts';
import { createWaitlist } from '../src/waitlist/settings/waitlists.ts';
import { freePort } from '../test/support/free-port.ts';
import { delivered, signUp } from './backlog.ts';
import { startDoorlist } from './processes.ts';
import { median, printTable, type Row } from './report.ts';
import { requireWrk, runWrk, signupScript } from './wrk.ts';

const ROUNDS = 3;
const MAILS = 10_000;
const SECONDS = 4;
const SENDING = { publicUrl: 'https://waitlist.example', defaultFrom: 'hello@acme.example' };

/**
 * Welcome mails compared with bare nodemailer to the same sink, and signups with these mails compared with
 * signups without.
 */
export async function benchEmails(): Promise<boolean> {
  requireWrk();
  const sink = await startSink();
  try {
    return printTable('Mails on SQLite', [await measureMails(sink.url), await measureSignups()]);
  } finally {
    await sink.stop();
  }
}

async function measureMails(smtpUrl: string): Promise<Row> {
  const directory = mkdtempSync(path.join(tmpdir(), 'doorlist-bench-'));
  const config = readConfig({
    DOORLIST_DATA_DIR: directory,
    DOORLIST_SMTP_URL: smtpUrl,
    DOORLIST_MAIL_FROM: SENDING.defaultFrom,
  });
  const context = await openContext(config, createLogger('silent'));
  const measured: number[] = [];
  const limit: number[] = [];
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      const queue = await mailingQueue(context, `wl_mail${round}`);
      limit.push(await sendBare(context, queue, smtpUrl, config.smtpConnections));
      await signUp(context, queue, MAILS);
      const startedAt = performance.now();
      const outbox = await startOutbox(context, config);
      await delivered(context, queue);
      measured.push((MAILS * 1000) / (performance.now() - startedAt));
      await outbox.stop();
    }
  } finally {
    await context.db.close();
    rmSync(directory, { recursive: true, force: true });
  }
  return {
    what: `${MAILS} welcome mails, against bare nodemailer`,
    measured: median(measured),
    limit: median(limit),
    atLeast: 0.5,
    unit: '/s',
  };
}

/** Sends a prepared mail as fast as the library can. */
async function sendBare(context: Context, queue: Queue, url: string, connections: number): Promise<number> {
  const mail = await previewMail(context, queue, { kind: 'welcome' }, SENDING);
  const transport = createTransport({ url, pool: true, maxConnections: connections, maxMessages: 100 });
  let left = MAILS;
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: 4 * connections }, async () => {
      while (left-- > 0) {
        const envelope = {
          messageId: `<${left}@acme.example>`,
          seed: String(left),
          kind: 'welcome' as const,
          at: 0,
        };
        await transport.sendMail(toMessage({ ...mail, to: `e${left}@example.com` }, envelope));
      }
    }),
  );
  const perSecond = (MAILS * 1000) / (performance.now() - startedAt);
  transport.close();
  return perSecond;
}

async function mailingQueue(context: Context, id: string): Promise<Queue> {
  await createWaitlist(context, { id, name: 'Bench' });
  await updateMailSettings(context, id, { kinds: ['welcome'] });
  return (await context.registry.queue(id, 'production')) as Queue;
}

/**
 * Mails are recorded, but sent only once a second, as with a provider's limit: this measures the signup, not
 * two programs competing for the same processors.
 */
async function measureSignups(): Promise<Row> {
  const perSecond = async (kinds: string): Promise<number> => {
    const doorlist = await startDoorlist({
      DOORLIST_SMTP_URL: 'smtp://127.0.0.1:9',
      DOORLIST_MAIL_FROM: SENDING.defaultFrom,
      DOORLIST_SMTP_RATE: '1',
    });
    try {
      doorlist.command('waitlist', 'create', 'wl_bench', '--name', 'Bench');
      doorlist.command('mail', 'settings', '--waitlist', 'wl_bench', '--kinds', kinds);
      const { key = '' } = doorlist.command('key', 'create', '--waitlist', 'wl_bench', '--env', 'production');
      const signup = '/sdk/v1/waitlist/signup';
      const load = () => ({ url: doorlist.url, script: signupScript(signup, key), seconds: SECONDS });
      await runWrk(load());
      return (await runWrk(load())).perSecond;
    } finally {
      await doorlist.stop();
    }
  };
  const on: number[] = [];
  const off: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    off.push(await perSecond('none'));
    on.push(await perSecond('welcome'));
  }
  return {
    what: 'signups with welcome mails, against without',
    measured: median(on),
    limit: median(off),
    atLeast: 0.8,
    unit: '/s',
  };
}

async function startSink(): Promise<{ url: string; stop(): Promise<void> }> {
  const port = await freePort();
  const child: ChildProcess = fork(path.join(import.meta.dirname, 'mail-sink.ts'), {
    env: { ...process.env, PORT: String(port) },
  });
  await once(child, 'message');
  return {
    url: `smtp://127.0.0.1:${port}`,
    stop: async () => {
      child.kill();
      await once(child, 'exit');
    },
  };
}
