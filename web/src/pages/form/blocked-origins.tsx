import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api, call } from '../../api/client.ts';
import { useMay } from '../../api/me.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { Alert } from '../../ui/alert.tsx';
import { Button } from '../../ui/button.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { toast } from '../../ui/toast.tsx';
import { useAct } from '../../ui/use-act.ts';
import { type Form, formQuery, updateForm } from './form-query.ts';

const SHOWN = 5;

/** Sites that tried to show the form. Nothing if there are none. */
export function BlockedOrigins({ form, scope }: { form: Form; scope: Scope }) {
  const { waitlistId, environment } = scope;
  const client = useQueryClient();
  const mayChange = useMay('admin');
  const queryKey = ['form-blocked', waitlistId, environment];
  const { data } = useQuery({
    queryKey,
    queryFn: () =>
      call(
        api.GET('/admin/v1/waitlists/{waitlistId}/form/blocked-origins', {
          params: { path: { waitlistId }, query: { environment } },
        }),
      ),
    enabled: form.enabled,
    refetchInterval: 15_000,
  });
  const { run, doing, error } = useAct(async (origin: string) => {
    const now = await client.fetchQuery({ ...formQuery(scope), staleTime: 0 });
    const allowedOrigins = [...now.allowedOrigins, origin];
    client.setQueryData(formQuery(scope).queryKey, await updateForm(scope, { allowedOrigins }, now.etag));
    await client.invalidateQueries({ queryKey });
    toast(`Allowed ${origin}`);
  });
  if (!data || data.origins.length === 0) return null;
  return (
    <Alert
      tone="warn"
      title={data.origins.length === 1 ? 'A site was blocked' : `${data.origins.length} sites were blocked`}
    >
      <p>They tried to show this form. Allow only sites that you know.</p>
      <ul aria-label="Blocked sites" className="mt-2 flex flex-col gap-2">
        {data.origins.slice(0, SHOWN).map(({ origin, lastAt }) => (
          <li key={origin} className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <span className="font-medium break-all">{origin}</span>
            <span className="text-sm">
              <RelativeTime at={lastAt} />
            </span>
            {mayChange && (
              <Button
                size="sm"
                busy={doing?.[0] === origin}
                onClick={() => run(origin)}
                aria-label={`Allow ${origin}`}
              >
                Allow
              </Button>
            )}
          </li>
        ))}
      </ul>
      {data.origins.length > SHOWN && <p className="mt-2">and {data.origins.length - SHOWN} more</p>}
      {error && <p role="alert">{error.sentence}</p>}
    </Alert>
  );
}
