import { type Mailable, toldWith } from '../../api/mail-status.ts';
import { toast } from '../../ui/toast.tsx';

/** Says what was done, and whether its email is sent. */
export function toastMailed(done: string, mailable: Mailable): void {
  const { title, ...options } = toldWith(done, mailable);
  toast(title, options);
}

/** For an email that is sent again. Of one that is not sent, only that it was recorded can be said. */
export function toastResent(
  mailable: Mailable,
  sent = 'The email is on its way again',
  recorded = 'Recorded again',
): void {
  if (mailable.mailable) toast(sent);
  else toastMailed(recorded, mailable);
}
