import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, call, type Schemas } from '../../api/client.ts';
import { type Entry, nameOf, refreshPeople } from '../../api/entries.ts';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { shorten } from '../../ui/shorten.ts';
import { toast, toastError } from '../../ui/toast.tsx';
import type { AboutEntry } from './about-entry.ts';

interface DialogProps extends AboutEntry {
  onClose: () => void;
}

function useRepair({ scope, entry }: AboutEntry) {
  const client = useQueryClient();
  return async (body: Schemas['EntryChange']): Promise<Entry> => {
    const params = {
      path: { waitlistId: scope.waitlistId, entryId: entry.id },
      query: { environment: scope.environment },
    };
    const changed = await call(
      api.PATCH('/admin/v1/waitlists/{waitlistId}/entries/{entryId}', { params, body }),
    );
    await refreshPeople(client, scope);
    return changed;
  };
}

export function ContactDialog({ scope, entry, onClose }: DialogProps) {
  const repair = useRepair({ scope, entry });
  const [email, setEmail] = useState(entry.email ?? '');
  const [phone, setPhone] = useState(entry.phone ?? '');
  const [confirm, setConfirm] = useState(false);
  const hasNewEmail = email.trim() !== (entry.email ?? '');
  const hasNewPhone = phone.trim() !== (entry.phone ?? '');
  const mayConfirm = entry.status === 'waiting' && hasNewEmail;
  const save = async () => {
    if (!hasNewEmail && !hasNewPhone) return onClose();
    const former = {
      ...(hasNewEmail && entry.email && { email: entry.email }),
      ...(hasNewPhone && { phone: entry.phone }),
    };
    await repair({
      ...(hasNewEmail && { email: email.trim() }),
      ...(hasNewPhone && { phone: phone.trim() || null }),
      ...(mayConfirm && confirm && { status: 'pending' as const }),
    });
    const mayUndo = !(mayConfirm && confirm) && Object.keys(former).length > 0;
    const undo = () => void repair(former).catch(toastError);
    toast('Saved how to reach this person', mayUndo ? { undo } : {});
    onClose();
  };
  return (
    <FormDialog
      title="Change email or phone"
      about="It stays the same person: place, referrals, invites and history go along. Links mailed to the former address to confirm or unsubscribe stop working."
      action="Save"
      onClose={onClose}
      onSubmit={save}
    >
      {(problem) => (
        <>
          <Field
            label="Email"
            name="email"
            error={problem('email')}
            help={
              entry.status === 'pending' && hasNewEmail
                ? 'They are still pending, so a link to confirm goes to the new address.'
                : undefined
            }
          >
            <Input
              type="text"
              inputMode="email"
              autoComplete="off"
              required={entry.email !== null}
              value={email}
              onChange={(event) => setEmail(event.target.value)}
            />
          </Field>
          <Field
            label="Phone"
            name="phone"
            error={problem('phone')}
            help="In international format. Empty for none."
          >
            <Input
              type="text"
              inputMode="tel"
              autoComplete="off"
              placeholder="+14155550123"
              value={phone}
              onChange={(event) => setPhone(event.target.value)}
            />
          </Field>
          {mayConfirm && (
            <Checkbox
              label="They must confirm the new email"
              help="They are out of line until they follow the link in an email, and keep their place."
              checked={confirm}
              onChange={setConfirm}
            />
          )}
        </>
      )}
    </FormDialog>
  );
}

const NO_CREDIT =
  'A cap, a mailbox that counted before, or an email that is not confirmed yet keeps the referrer from the credit.';

export function ReferrerDialog({ scope, entry, onClose }: DialogProps) {
  const repair = useRepair({ scope, entry });
  const [referrer, setReferrer] = useState(entry.referredBy ?? '');
  const save = async () => {
    const referredBy = referrer.trim() || null;
    const changed = await repair({ referredBy });
    const isCredited = referredBy === null || changed.referredBy !== null;
    const undo = () => void repair({ referredBy: entry.referredBy }).catch(toastError);
    if (isCredited) toast(referredBy === null ? 'Nobody referred them now' : 'Saved the referrer', { undo });
    else toast('Saved the referrer, who gets no credit', { about: NO_CREDIT, warn: true, undo });
    onClose();
  };
  return (
    <FormDialog
      title="Change the referrer"
      about={`Who told ${shorten(nameOf(entry))} about this waitlist? Credits and positions become as if it had been so from the start.`}
      action="Save"
      onClose={onClose}
      onSubmit={save}
    >
      {(problem) => (
        <Field
          label="Referred by"
          name="referredBy"
          error={problem('referredBy')}
          help="Email, phone number or referral code of somebody on this waitlist. Empty for nobody."
        >
          <Input
            type="text"
            autoComplete="off"
            value={referrer}
            onChange={(event) => setReferrer(event.target.value)}
          />
        </Field>
      )}
    </FormDialog>
  );
}
