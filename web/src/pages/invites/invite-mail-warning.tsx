import type { Schemas } from '../../api/client.ts';
import { Alert } from '../../ui/alert.tsx';
import { number } from '../../ui/number.ts';
import { NotMailed } from './not-mailed.tsx';

/** Who of those to invite gets no email, or gets it later. */
export function InviteMailWarning({ preview }: { preview: Schemas['InvitePreview'] | undefined }) {
  if (!preview) return null;
  const { mailable, bounced, count, leftToday } = preview;
  if (!mailable.mailable)
    return (
      <NotMailed mailable={mailable} otherwise="Invited, but not emailed">
        You can copy each link after inviting.
      </NotMailed>
    );
  if (leftToday !== null && leftToday < count)
    return (
      <Alert tone="warn" title={`Emails that are sent today: ${number(leftToday)}`}>
        The others wait for the next days of the warm-up. An invite that expires before its turn is not
        emailed.
      </Alert>
    );
  if (bounced === 0) return null;
  return (
    <Alert tone="warn">
      {number(bounced)} of {number(count)} {bounced === 1 ? 'gets' : 'get'} no email: the address bounced.
    </Alert>
  );
}
