import { newId, parseId } from '../../lib/ids.ts';
import type { OperatorContext } from '../../operators/context.ts';
import { openOperators } from '../../operators/context.ts';
import type { Notices } from '../../operators/notices.ts';
import type { Passwords } from '../../operators/password.ts';
import { eraseMessages } from '../../outbox/erase.ts';
import { writeMessages } from '../../outbox/message.ts';
import { INSTALLATION_ID } from '../../outbox/target.ts';
import type { Context } from '../../waitlist/queue/context.ts';
import { KIND_PREFIX, type StoredOperatorMail } from './stored-mail.ts';
import { OPERATOR_MAIL_TARGET } from './target.ts';

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
