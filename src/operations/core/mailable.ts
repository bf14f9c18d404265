import Type, { type Static } from 'typebox';
import { type Mailable, UNMAILABLE_REASONS } from '../../mail/mailable.ts';
import { named, nullable, oneOf } from '../../wire/schema.ts';

const mailable = {
  mailable: Type.Boolean({ description: 'Whether the email is sent.' }),
  reason: Type.Unsafe<Mailable['reason']>({
    type: ['string', 'null'],
    enum: [...UNMAILABLE_REASONS, null],
    description:
      'Why it is not sent. `sending_paused`: it waits until the mail server accepts emails again, or the rate of bounces has recovered. ' +
      '`warm_up`: it waits for the emails of the next days. `environment` and ' +
      '`no_mail_server`: it is kept. `kind_off` and `no_address`: there is none.',
  }),
  message: nullable<string>('string', { description: 'What happens instead, and what to do about it.' }),
};

export const MailableSchema = Type.Object(mailable, {
  ...named('Mailable'),
  description: 'Whether an email is sent, and why not.',
});

/** For objects that say it about a kind, or beside other things. */
export const mailableFields = mailable;

export const EXAMPLE_MAILABLE: Static<typeof MailableSchema> = {
  mailable: true,
  reason: null,
  message: null,
};

/** For answers to changes of settings. */
export const warnings = Type.Array(
  Type.Object(
    {
      code: oneOf(['confirmation_not_sent'] as const, { description: 'Which warning.' }),
      message: Type.String({ description: 'What happens, and why.' }),
    },
    { ...named('MailWarning'), description: 'Something that settings lead to.' },
  ),
  { description: 'What these settings lead to that you may not want. They apply nevertheless.' },
);

export function presentMailable({ mailable, reason, message }: Mailable): Static<typeof MailableSchema> {
  return { mailable, reason, message };
}
