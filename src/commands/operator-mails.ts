import { isoTime, isoTimeOrNull } from '../lib/time.ts';
import { showOperatorMail } from '../mail/operators/mailbox.ts';
import { sendingOf } from '../mail/sending.ts';
import { MAIL_STATES } from '../mail/templates/kinds.ts';
import { operatorMails as operations } from '../operations/operators/operator-mails.ts';
import { openOperators } from '../operators/context.ts';
import { type Command, table } from './command.ts';
import { commandsFor } from './command-of.ts';

interface Page {
  mails: {
    id: string;
    kind: string;
    to: string | null;
    state: string;
    createdAt: string;
    error: string | null;
  }[];
  nextCursor: string | null;
}

const command = commandsFor(operations);

export const operatorMails: Command[] = [
  command<Page>('listOperatorMails', {
    name: 'operator mails',
    about: 'List emails to operators, newest first.',
    fields: {
      state: { value: 'STATE', about: `Only emails in this state: ${MAIL_STATES.join(', ')}.` },
      limit: { value: 'N', about: 'Number of results (default: 50).' },
      cursor: { value: 'MAIL_ID', about: 'Cursor from the previous page.' },
    },
    show: (page) => {
      const rows = page.mails.map(({ id, kind, to, state, createdAt, error }) => [
        ...[id, kind, to, state, createdAt, error],
      ]);
      const more = page.nextCursor ? `\n\nNext page: --cursor ${page.nextCursor}` : '';
      return { json: page, text: table(['ID', 'KIND', 'TO', 'STATE', 'CREATED', 'ERROR'], rows) + more };
    },
  }),
  {
    name: 'operator mail',
    operations: ['getOperatorMail'],
    about: 'Show an email to an operator, with its one-time link and its attempts.',
    operands: ['MAIL_ID'],
    run: async (context, [id = ''], _flags, config) => {
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
