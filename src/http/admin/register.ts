import type { FastifyInstance } from 'fastify';
import { alerts } from '../../operations/instance/alerts.ts';
import { environments } from '../../operations/instance/environments.ts';
import { health } from '../../operations/instance/health.ts';
import { instance } from '../../operations/instance/instance.ts';
import { gateKeyOperations, mailEventKeyOperations } from '../../operations/keys/hook-key-kinds.ts';
import { productKeys, waitlistKeys } from '../../operations/keys/server-keys.ts';
import { statistics } from '../../operations/statistics/statistics.ts';
import { firstSteps } from '../../operations/waitlists/first-steps.ts';
import { waitlists } from '../../operations/waitlists/waitlists.ts';
import { waves } from '../../operations/waves/waves.ts';
import type { TypedApp } from '../typed-app.ts';
import { registerAudit } from './accounts/audit.ts';
import { registerForgotPassword } from './accounts/forgot-password.ts';
import { registerLinkPages } from './accounts/link-pages.ts';
import { registerMe } from './accounts/me.ts';
import { registerOperatorMails } from './accounts/operator-mails.ts';
import { registerOperators } from './accounts/operators.ts';
import { registerPasskeys } from './accounts/passkeys.ts';
import { registerPassword } from './accounts/password.ts';
import { registerSession } from './accounts/session.ts';
import { registerSetup } from './accounts/setup.ts';
import { registerTokens } from './accounts/tokens.ts';
import { registerTwoFactor } from './accounts/two-factor.ts';
import { requireRoles } from './core/authenticate.ts';
import { takeConditions } from './core/conditions.ts';
import type { AdminParts } from './core/parts.ts';
import { serveOperations } from './core/serve-operations.ts';
import { registerAddEntry } from './entries/add-entry.ts';
import { registerEntries } from './entries/register.ts';
import { registerForm } from './forms/form.ts';
import { registerFormPreview } from './forms/preview.ts';
import { registerReferralReviews } from './forms/reviews.ts';
import { registerCreateInvites } from './invites/create-invites.ts';
import { registerInvites } from './invites/invites.ts';
import { registerJobs } from './jobs/jobs.ts';
import { registerMails } from './mails/register.ts';
import { registerStream } from './stream/stream.ts';
import { registerTransfer } from './transfer/register.ts';
import { registerWebhooks } from './webhooks/register.ts';

const PREFIX = '/admin/v1';
const BODY_BYTES_MAX = 16 * 1024;

export function registerAdmin(app: FastifyInstance, parts: AdminParts): void {
  app.register(
    async (scope: TypedApp) => {
      scope.addHook('onRoute', (route) => {
        route.bodyLimit ??= BODY_BYTES_MAX;
      });
      requireRoles(scope, parts);
      takeConditions(scope, parts, addRoutes);
      await addRoutes(scope, parts);
    },
    { prefix: PREFIX },
  );
  registerLinkPages(app, parts);
}

async function addRoutes(scope: TypedApp, parts: AdminParts): Promise<void> {
  registerSetup(scope, parts);
  registerSession(scope, parts);
  registerPassword(scope, parts);
  registerForgotPassword(scope, parts);
  registerMe(scope, parts);
  registerTwoFactor(scope, parts);
  registerPasskeys(scope, parts);
  registerOperators(scope, parts);
  registerOperatorMails(scope, parts);
  registerTokens(scope, parts);
  registerAudit(scope, parts);
  registerStream(scope, parts);
  registerWebhooks(scope, parts);
  await registerMails(scope, parts);
  await registerTransfer(scope, parts);
  registerForm(scope, parts);
  registerFormPreview(scope, parts);
  registerReferralReviews(scope, parts);
  registerJobs(scope, parts);
  serveOperations(scope, parts, [...instance, ...health, ...alerts, ...environments]);
  serveOperations(scope, parts, [...waitlists, ...firstSteps]);
  serveOperations(scope, parts, [...waitlistKeys, ...productKeys]);
  serveOperations(scope, parts, [...gateKeyOperations, ...mailEventKeyOperations]);
  registerEntries(scope, parts);
  registerAddEntry(scope, parts);
  serveOperations(scope, parts, statistics);
  registerInvites(scope, parts);
  registerCreateInvites(scope, parts);
  serveOperations(scope, parts, waves);
}
