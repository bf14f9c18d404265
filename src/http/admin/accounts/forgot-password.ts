import Type from 'typebox';
import { unavailable } from '../../../lib/errors.ts';
import { closed, emailInput } from '../../../operations/core/schemas.ts';
import { sendPasswordLink } from '../../../operators/links.ts';
import { constant, named, withExamples } from '../../../wire/schema.ts';
import { clientOf } from '../../plugins/rate-limit.ts';
import type { TypedApp } from '../../typed-app.ts';
import { type AdminParts, takeSignIn } from '../core/admin-parts.ts';
import { adminSchema } from '../core/operation.ts';

/** Each is one short query, unless there is such an operator. */
const MOST_AT_ONCE = 100;

const ForgotPassword = Type.Object(
  { email: emailInput },
  {
    ...named('ForgotPassword'),
    ...closed,
    description: 'Whose password was forgotten.',
    ...withExamples({ email: { summary: 'An email', value: { email: 'grace@example.com' } } }),
  },
);

const Requested = Type.Object(
  {
    success: constant(true, 'Always `true`.'),
    mailServer: Type.Boolean({
      description: 'Whether there is a mail server. `false`: nothing is emailed to anybody.',
    }),
  },
  {
    ...named('RequestedPasswordLink'),
    description: 'Confirms a request, whether or not there is such an operator.',
  },
);

const schema = adminSchema({
  operationId: 'forgotPassword',
  tag: 'Sign-in',
  summary: 'Request a link to reset a password',
  description:
    'Emails a one-time link to the operator with this email. It works for an hour. The answer is the same whether or not there is one. ' +
    'An operator gets at most one such email in five minutes. Without a mail server, the email stays in the installation’s mailbox.',
  role: 'anyone',
  body: ForgotPassword,
  answer: {
    status: 202,
    description:
      'The request was taken. If there is such an operator and a mail server, the email is on its way.',
    schema: Requested,
    example: { success: true, mailServer: true },
  },
});

export function registerForgotPassword(app: TypedApp, parts: AdminParts): void {
  const { context, emails } = parts;
  const underWay = new Set<Promise<void>>();
  const ofServer = parts.waitlists.counts.sum('reset links');
  app.addHook('preClose', async () => {
    await Promise.all(underWay);
  });
  app.post('/password/forgot', { schema }, async (request, reply) => {
    await takeSignIn(parts, request, reply);
    const address = clientOf(request);
    if (!ofServer.add(1, MOST_AT_ONCE)) throw unavailable('too many requests at once: try again in a moment');
    // Not awaited: how long it takes would tell whether there is such an operator.
    const sending = sendPasswordLink(context, request.body.email, address)
      .catch((error: Error) => context.log.error({ reason: error.message }, 'a reset link could not be sent'))
      .finally(() => {
        underWay.delete(sending);
        ofServer.add(-1);
      });
    underWay.add(sending);
    reply.code(202);
    return { success: true as const, mailServer: emails.smtp };
  });
}
