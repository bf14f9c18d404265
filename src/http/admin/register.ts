import type { FastifyInstance } from 'fastify';
import { form } from '../../operations/forms/form.ts';
import { referralReviews } from '../../operations/forms/reviews.ts';
import { jobs } from '../../operations/jobs/jobs.ts';
import { waves } from '../../operations/waves/waves.ts';
import { webhookDeliveries } from '../../operations/webhooks/deliveries.ts';
import { webhookEndpoints, webhookSecrets } from '../../operations/webhooks/endpoints.ts';
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
import { registerFormPreview } from './forms/preview.ts';
import { registerAlerts } from './instance/alerts.ts';
import { registerEnvironments } from './instance/environments.ts';
import { registerHealthCheck } from './instance/health.ts';
import { registerInstance } from './instance/instance.ts';
import { registerCreateInvites } from './invites/create-invites.ts';
import { registerInvites } from './invites/invites.ts';
import { GATE_KEYS } from './keys/gate-keys.ts';
import { registerHookKeys } from './keys/hook-keys.ts';
import { MAIL_EVENT_KEYS } from './keys/mail-event-keys.ts';
import { registerProductKeys } from './keys/product-keys.ts';
import { registerWaitlistKeys } from './keys/waitlist-keys.ts';
import { registerMails } from './mails/register.ts';
import { registerStatistics } from './statistics/statistics.ts';
import { registerStream } from './stream/stream.ts';
import { registerTransfer } from './transfer/register.ts';
import { registerDeleteWaitlist } from './waitlists/delete-waitlist.ts';
import { registerFirstSteps } from './waitlists/first-steps.ts';
import { registerWaitlists } from './waitlists/waitlists.ts';
import { registerShowSecret } from './webhooks/show-secret.ts';

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
  serveOperations(scope, parts, webhookEndpoints);
  registerShowSecret(scope, parts);
  serveOperations(scope, parts, [...webhookSecrets, ...webhookDeliveries]);
  await registerMails(scope, parts);
  await registerTransfer(scope, parts);
  serveOperations(scope, parts, form);
  registerFormPreview(scope, parts);
  serveOperations(scope, parts, [...referralReviews, ...jobs]);
  registerInstance(scope, parts);
  registerHealthCheck(scope, parts);
  registerAlerts(scope, parts);
  registerEnvironments(scope, parts);
  registerWaitlists(scope, parts);
  registerFirstSteps(scope, parts);
  registerDeleteWaitlist(scope, parts);
  registerWaitlistKeys(scope, parts);
  registerProductKeys(scope, parts);
  registerHookKeys(scope, parts, GATE_KEYS);
  registerHookKeys(scope, parts, MAIL_EVENT_KEYS);
  registerEntries(scope, parts);
  registerAddEntry(scope, parts);
  registerStatistics(scope, parts);
  registerInvites(scope, parts);
  registerCreateInvites(scope, parts);
  serveOperations(scope, parts, waves);
}
