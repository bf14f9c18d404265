import { type Mailable, toldWith } from '../../api/mail-status.ts';
import { toast } from '../../ui/toast.tsx';

/** Says what was done, and whether its email is sent. */
export function toastMailed(done: string, mailable: Mailable): void {
  const { title, ...options } = toldWith(done, mailable);
  toast(title, options);
}
