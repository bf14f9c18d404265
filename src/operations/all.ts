import { codes } from './codes/codes.ts';
import type { Operation } from './core/operation.ts';
import { aboutEntry, getEntryShare } from './entries/about-entry.ts';
import { decisions } from './entries/decisions.ts';
import { addEntry, entries } from './entries/entries.ts';
import { erasureRequests } from './entries/erasure-requests.ts';
import { rules } from './entries/rules.ts';
import { searchEntries } from './entries/search-entries.ts';
import { searchPeople } from './entries/search-people.ts';
import { segments } from './entries/segments.ts';
import { form } from './forms/form.ts';
import { referralReviews } from './forms/reviews.ts';
import { alerts } from './instance/alerts.ts';
import { environments } from './instance/environments.ts';
import { health } from './instance/health.ts';
import { instance } from './instance/instance.ts';
import { roles } from './instance/roles.ts';
import { createInvites } from './invites/create-invites.ts';
import { invites } from './invites/invites.ts';
import { jobs } from './jobs/jobs.ts';
import { gateKeyOperations, mailEventKeyOperations } from './keys/hook-key-kinds.ts';
import { productKeys, waitlistKeys } from './keys/server-keys.ts';
import { mails } from './mails/mails.ts';
import { mailSettings } from './mails/settings.ts';
import { listAudit } from './operators/audit.ts';
import { operatorMails } from './operators/operator-mails.ts';
import { operators } from './operators/operators.ts';
import { tokens } from './operators/tokens.ts';
import { statistics } from './statistics/statistics.ts';
import { transfer } from './transfer/transfer.ts';
import { firstSteps } from './waitlists/first-steps.ts';
import { waitlists } from './waitlists/waitlists.ts';
import { waves } from './waves/waves.ts';
import { webhookDeliveries } from './webhooks/deliveries.ts';
import { webhookEndpoints, webhookSecrets } from './webhooks/endpoints.ts';

/** Every operation that is declared, in the order of the reference. */
export const OPERATIONS: readonly Operation[] = [
  ...operators,
  ...operatorMails,
  ...tokens,
  listAudit,
  ...webhookEndpoints,
  ...webhookSecrets,
  ...webhookDeliveries,
  ...mailSettings,
  ...mails,
  ...transfer,
  ...form,
  ...referralReviews,
  ...jobs,
  ...instance,
  ...roles,
  ...health,
  ...alerts,
  ...environments,
  ...waitlists,
  ...firstSteps,
  ...waitlistKeys,
  ...productKeys,
  ...gateKeyOperations,
  ...mailEventKeyOperations,
  ...entries,
  ...aboutEntry,
  ...decisions,
  ...rules,
  ...erasureRequests,
  ...segments,
  searchEntries,
  searchPeople,
  getEntryShare,
  addEntry,
  ...statistics,
  ...invites,
  createInvites,
  ...codes,
  ...waves,
];
