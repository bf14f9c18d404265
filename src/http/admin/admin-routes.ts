import type { FastifyInstance } from 'fastify';
import { codes } from '../../operations/codes/codes.ts';
import { aboutEntry, getEntryShare } from '../../operations/entries/about-entry.ts';
import { decisions } from '../../operations/entries/decisions.ts';
import { addEntry, entries } from '../../operations/entries/entries.ts';
import { erasureRequests } from '../../operations/entries/erasure-requests.ts';
import { rules } from '../../operations/entries/rules.ts';
import { searchEntries } from '../../operations/entries/search-entries.ts';
import { searchPeople } from '../../operations/entries/search-people.ts';
import { segments } from '../../operations/entries/segments.ts';
import { form } from '../../operations/forms/form.ts';
import { referralReviews } from '../../operations/forms/reviews.ts';
import { alerts } from '../../operations/instance/alerts.ts';
import { environments } from '../../operations/instance/environments.ts';
import { health } from '../../operations/instance/health.ts';
import { instance } from '../../operations/instance/instance.ts';
import { roles } from '../../operations/instance/roles.ts';
import { createInvites } from '../../operations/invites/create-invites.ts';
import { invites } from '../../operations/invites/invites.ts';
import { jobs } from '../../operations/jobs/jobs.ts';
import { gateKeyOperations, mailEventKeyOperations } from '../../operations/keys/hook-key-kinds.ts';
import { productKeys, waitlistKeys } from '../../operations/keys/server-keys.ts';
import { listAudit } from '../../operations/operators/audit.ts';
import { operatorMails } from '../../operations/operators/operator-mails.ts';
import { operators } from '../../operations/operators/operators.ts';
import { tokens } from '../../operations/operators/tokens.ts';
import { statistics } from '../../operations/statistics/statistics.ts';
import { firstSteps } from '../../operations/waitlists/first-steps.ts';
import { waitlists } from '../../operations/waitlists/waitlists.ts';
import { waves } from '../../operations/waves/waves.ts';
import { webhookDeliveries } from '../../operations/webhooks/deliveries.ts';
import { webhookEndpoints, webhookSecrets } from '../../operations/webhooks/endpoints.ts';
import type { TypedApp } from '../typed-app.ts';
import { registerForgotPassword } from './accounts/forgot-password.ts';
import { registerLinkPages } from './accounts/link-pages.ts';
import { registerMe } from './accounts/me.ts';
import { registerPasskeys } from './accounts/passkeys.ts';
import { registerPassword } from './accounts/password.ts';
import { registerSession } from './accounts/session.ts';
import { registerSetup } from './accounts/setup.ts';
import { registerTwoFactor } from './accounts/two-factor.ts';
import type { AdminParts } from './core/admin-parts.ts';
import { requireRoles } from './core/authenticate.ts';
import { takeConditions } from './core/conditions.ts';
import { serveOperations } from './core/serve-operations.ts';
import { registerFormPreview } from './forms/preview.ts';
import { registerMails } from './mails/mail-routes.ts';
import { registerStream } from './stream/stream.ts';
import { registerTransfer } from './transfer/transfer-routes.ts';
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
  serveOperations(scope, parts, [...operators, ...operatorMails, ...tokens, listAudit]);
  registerStream(scope, parts);
  serveOperations(scope, parts, webhookEndpoints);
  registerShowSecret(scope, parts);
  serveOperations(scope, parts, [...webhookSecrets, ...webhookDeliveries]);
  await registerMails(scope, parts);
  await registerTransfer(scope, parts);
  serveOperations(scope, parts, form);
  registerFormPreview(scope, parts);
  serveOperations(scope, parts, [...referralReviews, ...jobs]);
  serveOperations(scope, parts, [...instance, ...roles, ...health, ...alerts, ...environments]);
  serveOperations(scope, parts, [...waitlists, ...firstSteps]);
  serveOperations(scope, parts, [...waitlistKeys, ...productKeys]);
  serveOperations(scope, parts, [...gateKeyOperations, ...mailEventKeyOperations]);
  serveOperations(scope, parts, [...entries, ...aboutEntry, ...decisions, ...erasureRequests, ...segments]);
  serveOperations(scope, parts, rules);
  serveOperations(scope, parts, [searchEntries, searchPeople, getEntryShare, addEntry]);
  serveOperations(scope, parts, statistics);
  serveOperations(scope, parts, [...invites, createInvites, ...codes]);
  serveOperations(scope, parts, waves);
}
