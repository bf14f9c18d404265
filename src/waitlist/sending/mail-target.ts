import type { Target } from '../../outbox/target.ts';

export const MAIL_CHANNEL = 'email';
/** All mails of a queue have one target: the mail server. */
export const MAIL_TARGET: Uint8Array = Buffer.from('mail');

export function mailTarget(queueId: number): Target {
  return { queueId, channel: MAIL_CHANNEL, id: MAIL_TARGET };
}
