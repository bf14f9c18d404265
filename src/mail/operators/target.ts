import { INSTALLATION_ID, type Target } from '../../outbox/target.ts';

export const OPERATOR_MAIL_CHANNEL = 'operator-email';

/** All mails to operators have one target: the mail server. */
export const OPERATOR_MAIL_TARGET: Target = {
  queueId: INSTALLATION_ID,
  channel: OPERATOR_MAIL_CHANNEL,
  id: Buffer.from('mail'),
};
