import { isoTime, isoTimeOrNull } from '../lib/time.ts';
import { sendingOf } from '../mail/sending.ts';
import { MAIL_STATES } from '../mail/templates/kinds.ts';
import { openOperators } from '../operators/context.ts';
import { type Command, parseWhole, table, textOr, UsageProblem } from './command.ts';

/** Emails to operators. The mail code is loaded only if it is needed. */
export const operatorMails: Command[] = [
  {
    name: 'operator mails',
    about: 'List emails to operators, newest first.',
    flags: {
      state: { value: 'STATE', about: `Only emails in this state: ${MAIL_STATES.join(', ')}.` },
      limit: { value: 'N', about: 'Number of results (default: 50).' },
      cursor: { value: 'MAIL_ID', about: 'Cursor from the previous page.' },
    },
    run: async (context, _, flags) => {
      const { listOperatorMails } = await import('../mail/operators/mailbox.ts');
      const text = textOr(flags, 'state', undefined);
      const state = MAIL_STATES.find((one) => one === text);
      if (text !== undefined && !state)
        throw new UsageProblem(`--state: must be one of ${MAIL_STATES.join(', ')}`);
      const { mails, nextCursor } = await listOperatorMails(await openOperators(context), {
        limit: parseWhole(flags, 'limit', { from: 1, to: 200 }) ?? 50,
        cursor: textOr(flags, 'cursor', undefined),
        state,
      });
      const shown = mails.map((mail) => ({
        ...mail,
        createdAt: isoTime(mail.createdAt),
        nextAttemptAt: isoTimeOrNull(mail.nextAttemptAt),
      }));
      const rows = shown.map(({ id, kind, to, state, createdAt, error }) => [
        ...[id, kind, to, state, createdAt, error],
      ]);
      const more = nextCursor ? `\n\nNext page: --cursor ${nextCursor}` : '';
      return {
        json: { mails: shown, nextCursor },
        text: table(['ID', 'KIND', 'TO', 'STATE', 'CREATED', 'ERROR'], rows) + more,
      };
    },
  },
  {
    name: 'operator mail',
    about: 'Show an email to an operator, with its one-time link and its attempts.',
    operands: ['MAIL_ID'],
    run: async (context, [id = ''], _flags, config) => {
      const { showOperatorMail } = await import('../mail/operators/mailbox.ts');
      const sending = await sendingOf(context, config);
      const view = await showOperatorMail(await openOperators(context), id, sending);
      const { mail, log } = view;
      const json = {
        ...view,
        createdAt: isoTime(view.createdAt),
        nextAttemptAt: isoTimeOrNull(view.nextAttemptAt),
        log: log.map((one) => ({ ...one, at: isoTime(one.at) })),
      };
      const head = `${view.id}  ${view.kind}  ${view.state}`;
      if (!mail) return { json, text: `${head}\n(erased or damaged)` };
      const rows = json.log.map((one) => [one.attempt, one.at, one.status, one.error ?? 'ok', one.response]);
      const attempts = table(['ATTEMPT', 'AT', 'STATUS', 'OUTCOME', 'RESPONSE'], rows);
      const from = `${mail.from.name} <${mail.from.address}>`;
      return {
        json,
        text: `${head}\nFrom: ${from}\nTo: ${mail.to}\nSubject: ${mail.subject}\n\n${mail.text}\n${attempts}`,
      };
    },
  },
];
