import Type from 'typebox';
import { notFound } from '../../../lib/errors.ts';
import type { Sending } from '../../../mail/render.ts';
import { sendingOf } from '../../../mail/sending.ts';
import { isMailKind, MAIL_KINDS, type MailKind } from '../../../mail/templates/kinds.ts';
import { closed } from '../../../operations/core/schemas.ts';
import { idPattern, WORD } from '../../../wire/schema.ts';
import type { AdminParts } from '../core/parts.ts';
import { environmentQuery, waitlistParams } from '../core/waitlist-scope.ts';

export const tag = 'Emails';
export const WaitlistParams = Type.Object(waitlistParams);
export const EnvironmentQuery = Type.Object(environmentQuery, closed);

export const KindParams = Type.Object({
  ...waitlistParams,
  kind: Type.String({
    ...WORD,
    description: `Kind of email: ${MAIL_KINDS.map((kind) => `\`${kind}\``).join(', ')}.`,
    examples: ['welcome'],
  }),
});

export const EXAMPLE_MAIL_ID = 'evt_06gxx2p9r1yn1vp1ryss481fhw';
export const mailId = Type.String({ ...idPattern('evt'), description: 'Unique id of the email.' });

export const NO_WAITLIST = {
  not_found: {
    when: 'The waitlist or the environment does not exist.',
    message: 'there is no waitlist wl_acme',
  },
};
export const NO_KIND = {
  not_found: {
    when: 'The waitlist, the environment or the kind of email does not exist.',
    message: 'there is no kind of email welcom: there are confirm, welcome and others',
  },
};
export const NO_MAIL = {
  not_found: {
    when: 'The waitlist, the environment or the email does not exist.',
    message: 'there is no such email',
  },
};

export function requireKind({ kind }: { kind: string }): MailKind {
  if (isMailKind(kind)) return kind;
  throw notFound(`there is no kind of email ${kind}: there are ${MAIL_KINDS.join(', ')}`);
}

/** As the server sends emails. The address only applies until one has started. */
export function sendingFor({ waitlists, publicUrl }: AdminParts): Promise<Sending> {
  return sendingOf(waitlists, { publicUrl, mailFrom: `doorlist@${new URL(publicUrl).hostname}` });
}
