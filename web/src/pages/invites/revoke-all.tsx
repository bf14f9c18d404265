import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, call } from '../../api/client.ts';
import { type Job, watchJob } from '../../api/jobs.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { toastError } from '../../ui/toast.tsx';
import { useAct } from '../../ui/use-act.ts';
import { invitesQuery } from './invite-list.tsx';
import { invitesOf } from './invites-in-words.ts';

const revoke = ({ waitlistId, environment }: Scope, body: { dryRun?: boolean } = {}) =>
  call(
    api.POST('/admin/v1/waitlists/{waitlistId}/invites/revoke', {
      params: { path: { waitlistId }, query: { environment } },
      body,
    }),
  );

/** Takes back every open invite. How many there are is counted by the server, and typed. */
export function RevokeAll({ scope }: { scope: Scope }) {
  const client = useQueryClient();
  const [open, setOpen] = useState(0);
  const [asking, setAsking] = useState(false);
  const { data: listed } = useInfiniteQuery(invitesQuery(scope, { state: 'open' }));
  const { run, busy } = useAct(async () => {
    try {
      const { count } = (await revoke(scope, { dryRun: true })) as { count: number };
      setOpen(count);
      setAsking(true);
    } catch (error) {
      toastError(error);
    }
  });
  if (!listed?.pages[0]?.invites.length) return null;
  return (
    <>
      <Button size="sm" busy={busy} onClick={() => void run()}>
        Revoke all open
      </Button>
      <ConfirmDialog
        open={asking}
        onClose={() => setAsking(false)}
        title={`Revoke ${invitesOf(open)}?`}
        about={`Their links in ${scope.environment} stop working at once, and people go back to their places in the queue. A wave that is not paused invites others instead.`}
        action="Revoke them"
        typed={String(open)}
        onConfirm={async () => watchJob(client, scope, (await revoke(scope)) as Job)}
      />
    </>
  );
}
