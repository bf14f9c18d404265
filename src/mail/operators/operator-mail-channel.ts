import { formatId } from '../../lib/ids.ts';
import type { OperatorContext } from '../../operators/context.ts';
import type { Channel } from '../../outbox/channel.ts';
import { responseRow } from '../../outbox/delivery.ts';
import type { InstallationVault } from '../../vault/vault.ts';
import { SENDER_OF } from '../../waitlist/queue/mail-pause.ts';
import { messageId, type Sending } from '../render.ts';
import type { MailServer } from '../smtp/mail-server.ts';
import { KEPT } from '../smtp/outcome.ts';
import { smtpChannel } from '../smtp/smtp-channel.ts';
import { OPERATOR_MAIL_CHANNEL, type StoredOperatorMail } from './notices.ts';
import { renderOperatorMail } from './render.ts';

/** Mails to operators. Without a mail server, they stay in the mailbox. */
export function operatorMailChannel(
  context: OperatorContext,
  server: MailServer,
  sending: Sending,
): Channel<InstallationVault> {
  const { vault } = context;
  return smtpChannel<InstallationVault>(context, server, {
    name: OPERATOR_MAIL_CHANNEL,
    open: async (targets) => targets.map(() => vault),
    senderOf: () => `${SENDER_OF}mails to operators`,
    compose: async ({ eventId }, sealedBody) => {
      if (!server.smtp) return KEPT;
      const stored = vault.open<StoredOperatorMail>('event.body', eventId, sealedBody);
      const mail = renderOperatorMail(stored, sending);
      const envelope = {
        messageId: messageId(eventId, mail.from),
        seed: formatId('evt', eventId),
        kind: stored.notice.kind,
        at: stored.at,
      };
      return { mail, envelope };
    },
    bounced: async () => {}, // An operator who cannot be reached is still an operator.
    sealResponse: (delivery, response) =>
      vault.seal('delivery.response', responseRow(delivery.target, delivery), response),
  });
}
