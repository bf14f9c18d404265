import type { ScheduledTask } from '../db/scheduler.ts';
import { allowList } from '../lib/addresses.ts';
import type { DkimKey } from '../lib/dkim-key.ts';
import { DAY_MS } from '../lib/time.ts';
import { mailChannel } from '../mail/mail-channel.ts';
import { operatorMailChannel } from '../mail/operators/operator-mail-channel.ts';
import { rememberSending } from '../mail/sending.ts';
import { shareMailServer } from '../mail/smtp/mail-server.ts';
import { type PauseRecord, type RecordedPause, readPauses, recordPauses } from '../mail/smtp/pauses.ts';
import type { Smtp } from '../mail/smtp/smtp.ts';
import { openOperators } from '../operators/context.ts';
import { type DispatcherOptions, startDispatcher } from '../outbox/dispatcher.ts';
import { startPruning } from '../outbox/prune.ts';
import { firstDueAt } from '../outbox/target.ts';
import type { Context } from '../waitlist/queue/context.ts';
import { alertChannel } from '../webhooks/alert-channel.ts';
import { createGuard } from '../webhooks/guard.ts';
import { createSender, DEADLINE_MS } from '../webhooks/send.ts';
import { WebhookChannel } from '../webhooks/webhook-channel.ts';

/** Between two looks at what another process recorded without a notification. */
const LOOK_EVERY_MS = 2_000;

interface OutboxSettings {
  webhookAllow: string[];
  webhookProxy: string | undefined;
  deliveryLogDays: number;
  publicUrl: string;
  mailFrom: string;
  /** undefined if mails stay in the mailbox. */
  smtpUrl: string | undefined;
  smtpConnections: number;
  /** Mails per second, or 0 for no limit. */
  smtpRate: number;
  dkim: DkimKey | undefined;
  bounceAddress: string | undefined;
}

/** Shorter times for tests. */
export interface OutboxTimes {
  deadlineMs?: number;
  leaseExtendedEveryMs?: number;
  mailPausesMs?: readonly number[];
  endOfDataMs?: number;
}

export interface Outbox {
  /** Looks for due deliveries now. */
  wake(): void;
  /** Finds deliveries that no wake-up announced. */
  readonly task: ScheduledTask;
  /** Waits for running deliveries, up to a limit. */
  stop(): Promise<void>;
}

/** The background work for recorded events: sends deliveries and prunes old ones. */
export async function startOutbox(
  context: Context,
  settings: OutboxSettings,
  options: DispatcherOptions & OutboxTimes = {},
): Promise<Outbox> {
  const { webhookAllow, webhookProxy, deliveryLogDays, publicUrl, mailFrom } = settings;
  const sender = createSender(createGuard(allowList(webhookAllow)), {
    proxyUrl: webhookProxy,
    deadlineMs: options.deadlineMs ?? DEADLINE_MS,
  });
  await rememberSending(context, settings);
  const smtp = await connect(settings, options);
  const record = recordPauses(context);
  const pace = {
    ...settings,
    deadlineMs: options.deadlineMs,
    leaseExtendedEveryMs: options.leaseExtendedEveryMs,
    pausesMs: options.mailPausesMs,
    stopMs: options.drainMs === undefined ? undefined : options.drainMs / 2,
  };
  const mailServer = shareMailServer(smtp, pace, { record, known: await knownPauses(context, smtp, record) });
  const sending = { publicUrl, defaultFrom: mailFrom };
  const mails = mailChannel(context, mailServer, { ...sending, bounceAddress: settings.bounceAddress });
  const operators = await openOperators(context);
  const channels = [
    new WebhookChannel(context, sender, options.deadlineMs),
    mails,
    operatorMailChannel(operators, mailServer, sending),
    alertChannel(operators, sender, options.deadlineMs),
  ];
  const dispatcher = await startDispatcher(context, channels, options);
  const pruning = startPruning({ ...context, db: context.db.unlimited }, deliveryLogDays * DAY_MS);
  return {
    wake: dispatcher.wake,
    task: { name: 'deliveries', everyMs: LOOK_EVERY_MS, dueAt: firstDueAt, run: dispatcher.wake },
    stop: async () => {
      await Promise.all([dispatcher.stop(), pruning.stop()]);
      await record.written();
    },
  };
}

/** After a restart, one mail tests whether the server still refuses: not a whole row of them. */
async function knownPauses(
  context: Context,
  smtp: Smtp | undefined,
  record: PauseRecord,
): Promise<Map<string, RecordedPause>> {
  const pauses = await readPauses(context);
  if (smtp) return new Map(pauses.map((pause) => [pause.name, pause]));
  for (const { name } of pauses) record.ended(name); // Without a mail server nothing is sent, so nothing is paused.
  return new Map();
}

/** The SMTP code takes as long to load as a tenth of the start, so it is loaded only if there is a mail server. */
async function connect({ smtpUrl, dkim }: OutboxSettings, times: OutboxTimes): Promise<Smtp | undefined> {
  if (smtpUrl === undefined) return undefined;
  const { connectSmtp } = await import('../mail/smtp/smtp.ts');
  if (!dkim) return connectSmtp(smtpUrl, times);
  const { dkimSigner } = await import('../mail/smtp/dkim.ts');
  return connectSmtp(smtpUrl, { ...times, sign: dkimSigner(dkim) });
}
