import { useQuery } from '@tanstack/react-query';
import { type Mailable, mailableOf, personMailQuery, willBeSent } from '../../api/mail-status.ts';
import { Checkbox } from '../../ui/checkbox.tsx';
import type { AboutEntry } from './about-entry.ts';

interface TellByEmailProps extends AboutEntry {
  checked: boolean;
  /** On one line, and only where there is a choice. */
  brief?: boolean;
  onChange: (email: Mailable | undefined) => void;
}

/** About a decline. Only if the person gets it, now or once sending goes on. */
export function TellByEmail({ scope, entry, checked, brief = false, onChange }: TellByEmailProps) {
  const { data, isError } = useQuery(personMailQuery(scope, entry.id));
  const mailable = mailableOf(data, 'declined');
  const isSent = willBeSent(mailable);
  const unknown = isError
    ? 'Could not check whether they can be emailed.'
    : 'Checking whether they can be emailed…';
  const sent = 'Sends the email “Declined”, whose text you find under Emails.';
  if (brief && !isSent) return null;
  return (
    <Checkbox
      label={brief ? 'Email them if declined' : 'Tell them by email'}
      help={brief ? undefined : mailable ? (mailable.message ?? sent) : unknown}
      checked={checked && isSent}
      disabled={!isSent}
      onChange={(on) => onChange(on ? mailable : undefined)}
    />
  );
}
