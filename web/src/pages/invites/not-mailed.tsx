import type { ReactNode } from 'react';
import { type Mailable, waits, whyNotMailed } from '../../api/mail-status.ts';
import { Alert } from '../../ui/alert.tsx';

interface NotMailedProps {
  mailable: Mailable;
  /** What to say of invites that are not even sent later. */
  otherwise: string;
  children?: ReactNode;
}

/** Why invites are not emailed, and what to do about it. Nothing if they are. */
export function NotMailed({ mailable, otherwise, children }: NotMailedProps) {
  const why = whyNotMailed(mailable);
  if (why === undefined) return null;
  return (
    <Alert tone="warn" title={`${waits(mailable) ? 'Emails wait' : otherwise}: ${why}`}>
      {mailable.message} {children}
    </Alert>
  );
}
