import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, call } from '../../api/client.ts';
import { peopleKey } from '../../api/entries.ts';
import { type Job, watchJob } from '../../api/jobs.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
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
  const [asking, setAsking] = useState(false);
  const { data: listed } = useInfiniteQuery(invitesQuery(scope, { state: 'open' }));
  const { data: open } = useQuery({
    queryKey: [...peopleKey(scope), 'open invites'],
    queryFn: async () => (await revoke(scope, { dryRun: true })) as { count: number },
    enabled: asking,
    gcTime: 0,
  });
  if (!listed?.pages[0]?.invites.length) return null;
  return (
    <>
      <Button size="sm" onClick={() => setAsking(true)}>
        Revoke all open
      </Button>
      {open && (
        <ConfirmDialog
          open={asking}
          onClose={() => setAsking(false)}
          title={`Revoke ${invitesOf(open.count)}?`}
          about={`Their links in ${scope.environment} stop working at once, and people go back to their places in the queue. A wave that is not paused invites others instead.`}
          action="Revoke them"
          typed={String(open.count)}
          onConfirm={async () => watchJob(client, scope, (await revoke(scope)) as Job)}
        />
      )}
    </>
  );
}
