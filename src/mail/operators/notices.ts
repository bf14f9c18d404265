import { newId, parseId } from '../../lib/ids.ts';
import { type Notice, type Notices, type OperatorContext, openOperators } from '../../operators/context.ts';
import type { Passwords } from '../../operators/password.ts';
import { eraseMessages } from '../../outbox/erase.ts';
import { writeMessages } from '../../outbox/message.ts';
import { INSTALLATION_ID, type Target } from '../../outbox/target.ts';
import type { Context } from '../../waitlist/queue/context.ts';

/** Opens accounts whose changes are told to the operators by mail. */
export async function openAccounts(context: Context, passwords?: Passwords): Promise<OperatorContext> {
  const operators = await openOperators(context, passwords);
  return { ...operators, notices: mailNotices(context, operators) };
}

function mailNotices({ db, wakeUps }: Context, { vault }: OperatorContext): Notices {
  return {
    write: (trx, to, notice, now) => {
      const id = newId(now);
      const mail: StoredOperatorMail = { to: to.email, at: now, notice };
      const message = {
        id,
        kind: `${KIND_PREFIX}${notice.kind}`,
        body: vault.seal('event.body', id, mail),
        subjects: [parseId('opr', to.id) ?? Buffer.alloc(0)],
        targets: [OPERATOR_MAIL_TARGET],
      };
      writeMessages(trx, INSTALLATION_ID, [message], now);
    },
    wake: () => wakeUps.send([OPERATOR_MAIL_TARGET]),
    erase: (trx, operatorId, now) =>
      eraseMessages(db, trx, {
        queueId: INSTALLATION_ID,
        subjects: [operatorId],
        forget: [operatorId],
        now,
      }),
  };
}

/** What a mail is rendered from. It never changes, so every attempt sends the same bytes. */
export interface StoredOperatorMail {
  to: string;
  at: number;
  notice: Notice;
}

export const KIND_PREFIX = 'operator-email.';

export const OPERATOR_MAIL_CHANNEL = 'operator-email';

/** All mails to operators have one target: the mail server. */
export const OPERATOR_MAIL_TARGET: Target = {
  queueId: INSTALLATION_ID,
  channel: OPERATOR_MAIL_CHANNEL,
  id: Buffer.from('mail'),
};
