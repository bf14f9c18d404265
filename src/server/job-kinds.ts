import { confirmationsJob } from '../mail/confirmations.ts';
import { mailRetryJob, sendKeptJob } from '../mail/resend-job.ts';
import { inviteJob } from '../waitlist/invites/invite-run.ts';
import { revokeJob } from '../waitlist/invites/revoke-many.ts';
import type { JobKind } from '../waitlist/jobs/jobs.ts';
import { rerankJob } from '../waitlist/referrals/rerank.ts';
import { importJob } from '../waitlist/transfer/import/import-upload.ts';
import { undoImportJob } from '../waitlist/transfer/import/undo-import.ts';
import { waveJob } from '../waitlist/waves/run-wave.ts';
import { replayJob } from '../webhooks/replay-job.ts';

/** The kinds of job that a server runs. */
export const JOB_KINDS: readonly JobKind[] = [
  inviteJob,
  revokeJob,
  rerankJob,
  importJob,
  undoImportJob,
  replayJob,
  mailRetryJob,
  sendKeptJob,
  confirmationsJob,
  waveJob,
];
