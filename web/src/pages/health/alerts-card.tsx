import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, call, callTagged, ifMatch, type Schemas, type Tagged } from '../../api/client.ts';
import { Alert } from '../../ui/alert.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Switch } from '../../ui/checkbox.tsx';
import { asIs, draftsOf, lineOrNull } from '../../ui/drafts.ts';
import { Field, Input } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { SkeletonRows } from '../../ui/skeleton.tsx';
import { toast } from '../../ui/toast.tsx';
import { useAct } from '../../ui/use-act.ts';
import { useSettings } from '../../ui/use-settings.ts';
import { failureInWords } from '../webhooks/webhooks.ts';

type Alerts = Tagged<Schemas['Alerts']>;

const alertsQuery = queryOptions({
  queryKey: ['alerts'],
  queryFn: () => callTagged(api.GET('/admin/v1/health/alerts')),
});

/** Who is told when something does not work. */
export function AlertsCard() {
  const client = useQueryClient();
  const [changing, setChanging] = useState(false);
  const query = useQuery(alertsQuery);
  const {
    run: test,
    busy,
    error,
  } = useAct(async () => {
    await call(api.POST('/admin/v1/health/alerts/test'));
    const isKept = query.data?.emails && !query.data.mailServer;
    toast(isKept ? 'Test alert is on its way, but not by email' : 'Test alert is on its way');
    await client.invalidateQueries(alertsQuery);
  });
  const isOn = query.data && (query.data.emails || query.data.webhookUrl !== null);
  return (
    <Card
      title="Alerts"
      about="When a check becomes a problem, and when it is well again."
      actions={
        query.data && (
          <>
            {isOn && (
              <Button busy={busy} onClick={test}>
                Send test
              </Button>
            )}
            <Button onClick={() => setChanging(true)}>{isOn ? 'Change' : 'Set up'}</Button>
          </>
        )
      }
    >
      <QueryProblem query={query}>
        {query.data ? <Recipients alerts={query.data} /> : <SkeletonRows rows={1} flush />}
      </QueryProblem>
      {error && <Alert>{error.sentence}</Alert>}
      {changing && query.data && (
        <AlertsDialog
          alerts={query.data}
          onClose={() => setChanging(false)}
          onSaved={(saved) => client.setQueryData(alertsQuery.queryKey, saved)}
        />
      )}
    </Card>
  );
}

function Recipients({ alerts: { emails, mailServer, webhookUrl, lastAttempt } }: { alerts: Alerts }) {
  if (!emails && webhookUrl === null)
    return <p className="text-mute">Nobody is told. Someone has to look at this page.</p>;
  return (
    <ul className="flex flex-col gap-2">
      {emails && mailServer && <li>Owners and admins get an email.</li>}
      {emails && !mailServer && (
        <li className="text-warn">
          Owners and admins get no email: there is no mail server. Alerts to them are kept in the mailbox.
        </li>
      )}
      {webhookUrl !== null && (
        <li>
          Posted to <span className="break-all">{webhookUrl}</span>
          {lastAttempt && (
            <span
              className={lastAttempt.error === null ? 'block text-sm text-mute' : 'block text-sm text-danger'}
            >
              Last <RelativeTime at={lastAttempt.at} />:{' '}
              {lastAttempt.error === null ? 'delivered' : failureInWords(lastAttempt.error)}
            </span>
          )}
        </li>
      )}
    </ul>
  );
}

interface AlertsDialogProps {
  alerts: Alerts;
  onClose: () => void;
  onSaved: (saved: Alerts) => void;
}

const { draftOf, changesOf } = draftsOf({ emails: asIs<boolean>(), webhookUrl: lineOrNull });

function AlertsDialog({ alerts, onClose, onSaved }: AlertsDialogProps) {
  const client = useQueryClient();
  const { draft, set, meanwhile, save } = useSettings({
    saved: alerts,
    draftOf,
    changesOf,
    save: (body, { etag }) =>
      callTagged(api.PATCH('/admin/v1/health/alerts', { params: ifMatch(etag), body })),
    others: {
      labels: { emails: 'Email owners and admins', webhookUrl: 'Webhook URL' },
      reload: () => client.fetchQuery({ ...alertsQuery, staleTime: 0 }),
    },
  });
  return (
    <FormDialog
      title="Alerts"
      about="Sent once a problem has lasted for two minutes, and again when it has been over for ten."
      action="Save"
      onClose={onClose}
      meanwhile={meanwhile}
      onSubmit={async (over) => {
        const saved = await save(over);
        if (!saved) return;
        onSaved(saved);
        toast('Saved your changes');
        onClose();
      }}
    >
      {(problem) => (
        <>
          <Switch
            label="Email owners and admins"
            checked={draft.emails}
            onChange={(emails) => set({ emails })}
          />
          <Field
            label="Webhook URL"
            error={problem('webhookUrl')}
            help="Gets a JSON post with a text, as Slack and others expect. Leave empty for none."
          >
            <Input
              type="url"
              value={draft.webhookUrl}
              onChange={(event) => set({ webhookUrl: event.target.value })}
              placeholder="https://hooks.slack.com/services/…"
              autoComplete="off"
            />
          </Field>
        </>
      )}
    </FormDialog>
  );
}
