import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, callTagged, ifMatch, type Schemas, type Tagged } from '../../api/client.ts';
import { instanceQuery } from '../../api/instance.ts';
import { useMay } from '../../api/me.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Combobox } from '../../ui/combobox.tsx';
import { asIs, draftsOf } from '../../ui/drafts.ts';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { SkeletonRows } from '../../ui/skeleton.tsx';
import { toast } from '../../ui/toast.tsx';
import { useSettings } from '../../ui/use-settings.ts';

type Instance = Tagged<Schemas['Instance']>;

const ENGINES = { sqlite: 'SQLite', postgres: 'PostgreSQL' };

/** What this installation is, and its settings. */
export function InstanceCard() {
  const client = useQueryClient();
  const mayChange = useMay('admin');
  const [changing, setChanging] = useState(false);
  const query = useQuery(instanceQuery);
  return (
    <Card title="Installation" about="Most of it is set by variables when the server starts.">
      <QueryProblem query={query}>
        {query.data ? (
          <Facts
            instance={query.data}
            change={
              mayChange && (
                <Button size="sm" look="quiet" onClick={() => setChanging(true)}>
                  Change
                </Button>
              )
            }
          />
        ) : (
          <SkeletonRows rows={6} flush />
        )}
      </QueryProblem>
      {changing && query.data && (
        <TimeZoneDialog
          instance={query.data}
          onClose={() => setChanging(false)}
          onSaved={(saved) => {
            client.setQueryData(instanceQuery.queryKey, saved);
            void client.invalidateQueries({ queryKey: ['statistics'] });
            void client.invalidateQueries({ queryKey: ['people'] }); // Filters have days.
          }}
        />
      )}
    </Card>
  );
}

function Facts({ instance, change }: { instance: Instance; change: ReactNode }) {
  const { version, engine, publicUrl, emails, defaultTimeZone, createdAt } = instance;
  return (
    <dl className="grid gap-x-6 gap-y-4 sm:grid-cols-2">
      <Fact name="Version">{version}</Fact>
      <Fact name="Database">{ENGINES[engine]}</Fact>
      <Fact name="Public address">
        <span className="break-all">{publicUrl}</span>
      </Fact>
      <Fact name="Emails from">
        <span className="break-all">{emails.from}</span>
        {emails.smtp === 'none' && <Badge tone="warn">Not sent</Badge>}
      </Fact>
      <Fact name="Time zone of charts and filters">
        {defaultTimeZone}
        {change}
      </Fact>
      <Fact name="Installed">
        <RelativeTime at={createdAt} />
      </Fact>
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-sm text-mute">{name}</dt>
      <dd className="flex min-h-8 flex-wrap items-center gap-2">{children}</dd>
    </div>
  );
}

interface TimeZoneDialogProps {
  instance: Instance;
  onClose: () => void;
  onSaved: (saved: Instance) => void;
}

const { draftOf, changesOf } = draftsOf({ defaultTimeZone: asIs<string>() });

function TimeZoneDialog({ instance, onClose, onSaved }: TimeZoneDialogProps) {
  const client = useQueryClient();
  const { draft, set, meanwhile, save } = useSettings({
    saved: instance,
    draftOf,
    changesOf,
    save: (body, { etag }) => callTagged(api.PATCH('/admin/v1/instance', { params: ifMatch(etag), body })),
    others: {
      labels: { defaultTimeZone: 'Time zone' },
      reload: () => client.fetchQuery({ ...instanceQuery, staleTime: 0 }),
    },
  });
  const zones = [...new Set(['UTC', draft.defaultTimeZone, ...Intl.supportedValuesOf('timeZone')])];
  return (
    <FormDialog
      title="Time zone of charts and filters"
      about="Days and weeks begin at midnight there, for everyone."
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
        <Field label="Time zone" error={problem('defaultTimeZone')}>
          <Combobox
            label="Time zone"
            placeholder="Search time zones…"
            value={draft.defaultTimeZone}
            onChange={(next) => next && set({ defaultTimeZone: next })}
            options={zones.map((value) => ({ value, label: value.replaceAll('_', ' ') }))}
          />
        </Field>
      )}
    </FormDialog>
  );
}
