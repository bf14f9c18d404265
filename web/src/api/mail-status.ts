import { queryOptions } from '@tanstack/react-query';
import { api, call, type Schemas } from './client.ts';
import { peopleKey } from './entries.ts';
import type { MailKind } from './mail-choices.ts';

export type Mailable = Schemas['Mailable'];
type Reason = NonNullable<Mailable['reason']>;
type Scope = { waitlistId: string; environment: string };

/** Whether emails of a waitlist are sent, and how many are kept. */
export const mailStatusQuery = ({ waitlistId, environment }: Scope) =>
  queryOptions({
    queryKey: ['mail-status', waitlistId, environment],
    queryFn: () =>
      call(
        api.GET('/admin/v1/waitlists/{waitlistId}/mail/status', {
          params: { path: { waitlistId }, query: { environment } },
        }),
      ),
  });

/** Whether a person can be emailed, and their last email. */
export const personMailQuery = (scope: Scope, entryId: string) =>
  queryOptions({
    queryKey: [...peopleKey(scope), 'mail', entryId],
    queryFn: () =>
      call(
        api.GET('/admin/v1/waitlists/{waitlistId}/entries/{entryId}/mail', {
          params: {
            path: { waitlistId: scope.waitlistId, entryId },
            query: { environment: scope.environment },
          },
        }),
      ),
  });

/** Of a waitlist, or of a person. */
export function mailableOf(
  status: Pick<Schemas['MailStatus'], 'kinds'> | undefined,
  kind: MailKind,
): Schemas['MailableKind'] | undefined {
  return status?.kinds.find((one) => one.kind === kind);
}

const WORDS: Readonly<Record<Reason, string>> = {
  no_address: 'no email address',
  invalid_address: 'the address is not accepted',
  bounced: 'the address bounced',
  complained: 'they reported an email as spam',
  unsubscribed: 'they unsubscribed',
  kind_off: 'this email is off',
  environment: 'emails are only sent in production',
  no_mail_server: 'no mail server',
  sending_paused: 'sending is paused',
  warm_up: 'the emails of the warm-up for today are used up',
};

/** Whether it is sent later, without anybody doing anything. */
export function waits({ reason }: Pick<Mailable, 'reason'>): boolean {
  return reason === 'sending_paused' || reason === 'warm_up';
}

/** Now, or without anybody doing anything. */
export function willBeSent(mailable: Mailable | undefined): mailable is Mailable {
  return mailable !== undefined && (mailable.mailable || waits(mailable));
}

/** Why an email is not sent, in a few words. Undefined if it is. */
export function whyNotMailed({ reason }: Pick<Mailable, 'reason'>): string | undefined {
  return reason === null ? undefined : WORDS[reason];
}

/** For a toast after something that sends an email: what was done, and whether the email is sent. */
export function toldWith(
  done: string,
  mailable: Mailable,
): { title: string; about?: string; warn?: boolean } {
  const why = whyNotMailed(mailable);
  if (why === undefined) return { title: done };
  const title = waits(mailable) ? `${done}. The email waits: ${why}` : `${done}, not emailed: ${why}`;
  return { title, about: mailable.message ?? '', warn: true };
}
