import { useQueryClient } from '@tanstack/react-query';
import { api, call } from '../../api/client.ts';
import { nameOf, refreshPeople } from '../../api/entries.ts';
import { type Mailable, toldWith } from '../../api/mail-status.ts';
import { download } from '../../ui/download.ts';
import { shorten } from '../../ui/shorten.ts';
import { toast, toastError } from '../../ui/toast.tsx';
import { toastMailed, toastResent } from '../emails/toast-mailed.ts';
import type { AboutEntry } from './about-entry.ts';

export type EntryChanges = ReturnType<typeof useEntryChanges>;

export type Decision = 'approve' | 'decline' | 'reconsider';

interface HowDecided {
  /** Where a declined person is told by email: whether and when it is sent. */
  email?: Mailable | undefined;
  onUndone?: () => void;
}

/** What can be done with a person. Each loads people again, and says in a toast what was done. */
export function useEntryChanges({ scope, entry }: AboutEntry, onErased: () => void) {
  const client = useQueryClient();
  const { waitlistId, environment } = scope;
  const { id, email } = entry;
  const path = { waitlistId, entryId: id };
  const query = { environment };
  const params = { path, query };
  const name = shorten(nameOf(entry));
  const refresh = () => refreshPeople(client, scope);

  const invite = async () => {
    const { mailable } = await call(
      api.POST('/admin/v1/waitlists/{waitlistId}/invites', {
        params: { path: { waitlistId }, query },
        body: { email: email ?? '', expect: 1 },
      }),
    );
    await refresh();
    toastMailed(`Invited ${name}`, mailable);
  };
  const confirm = async () => {
    await call(
      api.PATCH('/admin/v1/waitlists/{waitlistId}/entries/{entryId}', {
        params,
        body: { status: 'waiting' },
      }),
    );
    await refresh();
    toast(`Confirmed ${name}`);
  };
  const sendConfirmation = async () => {
    const { mailable } = await call(
      api.POST('/admin/v1/waitlists/{waitlistId}/entries/{entryId}/confirmation', { params }),
    );
    await refresh();
    toastResent(mailable, `The confirmation to ${name} is on its way`, 'Recorded the confirmation again');
  };
  const exportJson = async () => {
    const person = await call(
      api.GET('/admin/v1/waitlists/{waitlistId}/entries/{entryId}/export', { params }),
    );
    download(`${id}.json`, `${JSON.stringify(person, null, 2)}\n`, 'application/json');
  };
  const putBack = async () => {
    await call(api.POST('/admin/v1/waitlists/{waitlistId}/entries/{entryId}/restore', { params }));
    await refresh();
    toast(`Put ${name} back`);
  };
  const decide = async (verb: Decision, note: string, { email, onUndone }: HowDecided = {}) => {
    const body = note === '' ? {} : { note };
    await call(
      verb === 'approve'
        ? api.POST('/admin/v1/waitlists/{waitlistId}/entries/{entryId}/approve', { params, body })
        : verb === 'decline'
          ? api.POST('/admin/v1/waitlists/{waitlistId}/entries/{entryId}/decline', {
              params,
              body: email ? { ...body, email: true } : body,
            })
          : api.POST('/admin/v1/waitlists/{waitlistId}/entries/{entryId}/reconsider', { params, body }),
    );
    await refresh();
    if (verb !== 'decline') {
      toast(verb === 'approve' ? `Approved ${name}, who is invited` : `${name} is back`);
      return;
    }
    const undo = () => void decide('reconsider', '').then(onUndone, toastError);
    const isSent = email?.mailable === true;
    const { title, ...options } = email
      ? toldWith(isSent ? `Declined ${name}. The email is on its way` : `Declined ${name}`, email)
      : { title: `Declined ${name}` };
    toast(title, { ...options, undo });
  };
  const remove = async () => {
    await call(api.DELETE('/admin/v1/waitlists/{waitlistId}/entries/{entryId}', { params, body: {} }));
    await refresh();
    toast(`Removed ${name}`, { undo: () => void putBack().catch(toastError) });
  };
  const erase = async (neverJoined: boolean) => {
    await call(
      api.DELETE('/admin/v1/waitlists/{waitlistId}/entries/{entryId}', {
        params: { path, query: { ...query, erase: 'true' } },
        body: { confirm: id, neverJoined },
      }),
    );
    onErased();
    await refresh();
    toast('Erased this person');
  };
  return {
    name,
    invite,
    decide,
    confirm,
    sendConfirmation,
    exportJson,
    putBack,
    remove,
    erase,
  };
}
