import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { api, call } from '../../api/client.ts';
import { useWhyNot } from '../../api/me.ts';
import type { Waitlist } from '../../api/waitlists.ts';
import { Button, DimmableButton } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { toast, toastError } from '../../ui/toast.tsx';

interface DangerZoneProps {
  waitlist: Waitlist;
  onChanged: () => Promise<unknown>;
}

/** Closing a waitlist, and deleting it for good. */
export function DangerZone({ waitlist, onChanged }: DangerZoneProps) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const whyNotDelete = useWhyNot('delete a waitlist', 'owner');
  const [asking, setAsking] = useState<'close' | 'delete' | null>(null);
  const path = { waitlistId: waitlist.id };
  const isClosed = waitlist.closedAt !== null;
  const setClosed = async (closed: boolean) => {
    await call(api.PATCH('/admin/v1/waitlists/{waitlistId}', { params: { path }, body: { closed } }));
    await onChanged();
    toast(closed ? `Closed ${waitlist.name}` : `Opened ${waitlist.name}`);
  };
  const remove = async () => {
    const body = { confirm: waitlist.id };
    await call(api.DELETE('/admin/v1/waitlists/{waitlistId}', { params: { path }, body }));
    await client.invalidateQueries({ queryKey: ['waitlists'] });
    toast(`Deleted ${waitlist.name}`);
    await navigate({ to: '/waitlists', ignoreBlocker: true });
  };
  return (
    <Card title="Danger zone">
      <ul className="flex flex-col gap-4">
        <Action
          title={isClosed ? 'Open the waitlist' : 'Close the waitlist'}
          about={
            isClosed
              ? 'New people can join again, in every environment.'
              : 'Nobody new can join, in any environment. Everything else keeps working.'
          }
        >
          {isClosed ? (
            <Button onClick={() => void setClosed(false).catch(toastError)}>Open waitlist</Button>
          ) : (
            <Button onClick={() => setAsking('close')}>Close waitlist</Button>
          )}
        </Action>
        <Action
          title="Delete the waitlist"
          about="Deletes all people, invites, keys and webhooks, in every environment."
        >
          <DimmableButton look="danger" why={whyNotDelete} onClick={() => setAsking('delete')}>
            Delete waitlist
          </DimmableButton>
        </Action>
      </ul>
      <ConfirmDialog
        open={asking === 'close'}
        onClose={() => setAsking(null)}
        title={`Close ${waitlist.name}?`}
        about="Signups are refused in every environment until you open it again. Invites can still be accepted."
        action="Close waitlist"
        onConfirm={() => setClosed(true)}
      />
      <ConfirmDialog
        open={asking === 'delete'}
        onClose={() => setAsking(null)}
        title={`Delete ${waitlist.name}?`}
        about="All its data becomes unreadable at once, in production and every other environment. Nobody can bring it back."
        action="Delete waitlist"
        typed={waitlist.id}
        onConfirm={remove}
      />
    </Card>
  );
}

function Action({ title, about, children }: { title: string; about: string; children: ReactNode }) {
  return (
    <li className="flex flex-wrap items-center justify-between gap-3">
      <span className="flex min-w-0 flex-1 basis-60 flex-col">
        <span className="font-medium">{title}</span>
        <span className="text-sm text-mute">{about}</span>
      </span>
      {children}
    </li>
  );
}
