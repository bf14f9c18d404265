import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, call, type Schemas } from '../../api/client.ts';
import { type Duty, useWhyNot } from '../../api/me.ts';
import { Card } from '../../ui/card.tsx';
import { Switch } from '../../ui/checkbox.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { toast, toastError } from '../../ui/toast.tsx';
import { useAct } from '../../ui/use-act.ts';

const DUTIES: Record<Duty, { label: string; help: string }> = {
  move: { label: 'Move', help: 'Change who is where in the queue.' },
  remove: { label: 'Remove', help: 'Take people off the waitlist. They can be put back for 30 days.' },
  restore: { label: 'Put back', help: 'Put removed people back in their place.' },
  resend: { label: 'Send again', help: 'Send emails, invites and confirmations again.' },
  confirm: { label: 'Confirm', help: 'Confirm an email address on behalf of its owner.' },
  decline: { label: 'Approve and decline', help: 'Decide who may be invited.' },
  repair: { label: 'Correct', help: 'Change metadata and other details of a person.' },
};

const rolesQuery = queryOptions({
  queryKey: ['roles'],
  queryFn: () => call(api.GET('/admin/v1/instance/roles')),
});

/** What the owner lets support do. Admins see it. */
export function SupportCard() {
  const client = useQueryClient();
  const query = useQuery(rolesQuery);
  const whyNot = useWhyNot('change this', 'owner');
  const turn = useAct(async (duty: Duty, on: boolean) => {
    const support: Schemas['RolesUpdate']['support'] = { [duty]: on };
    try {
      const saved = await call(api.PATCH('/admin/v1/instance/roles', { body: { support } }));
      client.setQueryData(rolesQuery.queryKey, saved);
      toast(`${DUTIES[duty].label} is ${on ? 'on' : 'off'} for support`, {
        undo: () => void turn.run(duty, !on),
      });
    } catch (error) {
      toastError(error);
    }
  });
  return (
    <Card
      title="What support may do"
      about={`Besides seeing, adding and inviting people. Erasing and exporting stay with admins; support can ask for an erasure.${whyNot === undefined ? '' : ` ${whyNot}`}`}
    >
      <QueryProblem query={query}>
        <ul className="grid gap-x-10 gap-y-4 md:grid-cols-2">
          {(Object.keys(DUTIES) as Duty[]).map((duty) => (
            <li key={duty}>
              {query.data ? (
                <Switch
                  {...DUTIES[duty]}
                  checked={query.data.support[duty]}
                  disabled={whyNot !== undefined}
                  readOnly={turn.busy}
                  onChange={(on) => void turn.run(duty, on)}
                />
              ) : (
                <Skeleton className="h-11 w-full" />
              )}
            </li>
          ))}
        </ul>
      </QueryProblem>
    </Card>
  );
}
