import type { Config } from '../config/config.ts';
import { DatabaseUnavailable } from '../db/database.ts';
import { startScheduler } from '../db/scheduler.ts';
import { watchHealth } from '../installation/health-alerts.ts';
import { withoutTimeLimits } from '../installation/open.ts';
import { startOutbox } from '../installation/start-outbox.ts';
import { confirmationsJob } from '../mail/confirmations.ts';
import { mailRetryJob, sendKeptJob } from '../mail/resend-job.ts';
import { openOperators } from '../operators/context.ts';
import { auditUpkeep } from '../operators/trim-audit.ts';
import { decideJob } from '../waitlist/decisions/decide-many.ts';
import { inviteJob } from '../waitlist/invites/invite-run.ts';
import { revokeJob } from '../waitlist/invites/revoke-many.ts';
import { createJobRunner, takeLeasesBack } from '../waitlist/jobs/job-runner.ts';
import type { JobKind } from '../waitlist/jobs/jobs.ts';
import type { Context } from '../waitlist/queue/context.ts';
import { rerankJob } from '../waitlist/referrals/rerank.ts';
import { importJob } from '../waitlist/transfer/import/import-upload.ts';
import { undoImportJob } from '../waitlist/transfer/import/undo-import.ts';
import { createUpkeep } from '../waitlist/upkeep/upkeep.ts';
import { waveJob } from '../waitlist/waves/run-wave.ts';
import { replayJob } from '../webhooks/replay-job.ts';

/** What a server does without being asked: deliveries, emails, jobs and upkeep. */
interface Background {
  /** Upkeep ends after its current step. */
  announceStop(): void;
  /** Finishes deliveries and steps of jobs that are under way, and begins no more. */
  drain(): Promise<void>;
  close(): Promise<void>;
}

/** What an instance with the role `api` leaves to others. */
export const NO_BACKGROUND: Background = {
  announceStop: () => {},
  drain: async () => {},
  close: async () => {},
};

export async function startBackground(context: Context, config: Config): Promise<Background> {
  if (config.databaseUrl === undefined) await takeLeasesBack(context).catch(tolerateUnwritable);
  const unlimited = withoutTimeLimits(context);
  const alerts = await watchHealth(unlimited, config);
  const audit = auditUpkeep(await openOperators(unlimited), config.auditDays);
  const outbox = await startOutbox(context, config); // The last that can fail: from here on, something runs.
  if (config.smtpUrl !== undefined) {
    const { checkSmtpAtStart } = await import('../mail/smtp/session.ts');
    void checkSmtpAtStart(context.log, config.smtpUrl);
  }
  const upkeep = createUpkeep(unlimited);
  const jobs = createJobRunner(unlimited, JOB_KINDS);
  const scheduler = startScheduler(context, [outbox.task, jobs.task, alerts, audit, ...upkeep.tasks]);
  // What it cannot write, another server will do.
  context.db.superseded.addEventListener('abort', () => {
    upkeep.stop();
    void Promise.all([outbox.stop(), jobs.close(), scheduler.close()]).catch(() => {});
  });
  return {
    announceStop: upkeep.stop,
    drain: async () => {
      await Promise.all([outbox.stop(), jobs.close()]);
    },
    close: scheduler.close,
  };
}

/** The server starts all the same, and answers 503 until it can write. */
function tolerateUnwritable(error: Error): void {
  if (!(error instanceof DatabaseUnavailable)) throw error;
}

/** The kinds of job that a server runs. */
export const JOB_KINDS: readonly JobKind[] = [
  inviteJob,
  revokeJob,
  decideJob,
  rerankJob,
  importJob,
  undoImportJob,
  replayJob,
  mailRetryJob,
  sendKeptJob,
  confirmationsJob,
  waveJob,
];
