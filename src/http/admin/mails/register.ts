import { draftTemplates } from '../../../mail/templates/worker.ts';
import type { TypedApp } from '../../typed-app.ts';
import type { AdminParts } from '../core/parts.ts';
import { registerConfirmations } from './confirmations.ts';
import { registerLogo } from './logo.ts';
import { registerMailbox } from './mails.ts';
import { registerPersonMail } from './person.ts';
import { registerResendJobs } from './resend-jobs.ts';
import { registerSenderCheck } from './sender.ts';
import { registerMailSending } from './sending.ts';
import { registerMailSettings } from './settings.ts';
import { registerMailStatus } from './status.ts';
import { registerSuppressions } from './suppressions.ts';
import { registerMailTemplates } from './templates.ts';

export async function registerMails(app: TypedApp, parts: AdminParts): Promise<void> {
  registerMailSettings(app, parts);
  await registerLogo(app, parts);
  registerMailTemplates(app, parts);
  registerMailbox(app, parts);
  registerResendJobs(app, parts);
  registerMailStatus(app, parts);
  registerSenderCheck(app, parts);
  registerMailSending(app, parts);
  registerConfirmations(app, parts);
  registerPersonMail(app, parts);
  registerSuppressions(app, parts);
  app.addHook('onClose', () => draftTemplates.rest());
}
