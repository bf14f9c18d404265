import type { Operation } from '../core/operation.ts';
import { mailbox } from './mailbox.ts';
import { confirmations, mailResending } from './resending.ts';
import { mailSending } from './sending.ts';
import { getEntryMail, getMailStatus } from './status.ts';
import { suppressions } from './suppressions.ts';
import { mailTemplates } from './templates.ts';

/** Besides the settings, in the order of the reference. */
export const mails: readonly Operation[] = [
  ...mailTemplates,
  ...mailbox,
  ...mailResending,
  getMailStatus,
  ...mailSending,
  ...confirmations,
  getEntryMail,
  ...suppressions,
];
