import type { Operation } from './core/operation.ts';
import { form } from './forms/form.ts';
import { referralReviews } from './forms/reviews.ts';
import { jobs } from './jobs/jobs.ts';
import { mails } from './mails/mails.ts';
import { mailSettings } from './mails/settings.ts';
import { transfer } from './transfer/transfer.ts';
import { waves } from './waves/waves.ts';
import { webhookDeliveries } from './webhooks/deliveries.ts';
import { webhookEndpoints, webhookSecrets } from './webhooks/endpoints.ts';

/** Every operation that is declared, in the order of the reference. */
export const OPERATIONS: readonly Operation[] = [
  ...webhookEndpoints,
  ...webhookSecrets,
  ...webhookDeliveries,
  ...mailSettings,
  ...mails,
  ...transfer,
  ...form,
  ...referralReviews,
  ...jobs,
  ...waves,
];
