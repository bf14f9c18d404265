import { draftTemplates } from '../../../mail/templates/worker.ts';
import { mails } from '../../../operations/mails/mails.ts';
import { mailSettings } from '../../../operations/mails/settings.ts';
import type { TypedApp } from '../../typed-app.ts';
import type { AdminParts } from '../core/admin-parts.ts';
import { serveOperations } from '../core/serve-operations.ts';
import { registerLogo } from './logo.ts';

export async function registerMails(app: TypedApp, parts: AdminParts): Promise<void> {
  serveOperations(app, parts, mailSettings);
  await registerLogo(app, parts);
  serveOperations(app, parts, mails);
  app.addHook('onClose', () => draftTemplates.rest());
}
