import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { instanceQuery } from '../../api/instance.ts';
import { waitlistQuery } from '../../api/waitlists.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { Field, Input } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Select } from '../../ui/select.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { toast } from '../../ui/toast.tsx';
import { SavedSegmentField } from '../queue/saved-segment-field.tsx';
import { draftOf, SegmentFields, segmentOf } from '../queue/segment-fields.tsx';
import { NumberField, type PartProps } from './number-field.tsx';
import { QuotaFields } from './quota-fields.tsx';
import { ScheduleFields } from './schedule-fields.tsx';
import { Upcoming } from './upcoming.tsx';
import { newDraft, previewOf, requestOf, type WaveDraft } from './wave-draft.ts';
import { createWave, forecastQuery, type Wave } from './waves.ts';

const SETTLE_MS = 400;

interface WaveFormProps {
  scope: Scope;
  onClose: () => void;
  onCreated: (wave: Wave) => Promise<void>;
}

/** Plans a wave, and shows what it would do. */
export function WaveForm({ scope, onClose, onCreated }: WaveFormProps) {
  const { data: instance } = useQuery(instanceQuery);
  const [draft, setDraft] = useState(() => newDraft(instance?.defaultTimeZone ?? 'UTC'));
  const set = (change: Partial<WaveDraft>) => setDraft((now) => ({ ...now, ...change }));
  return (
    <FormDialog
      title="Plan a wave"
      about={`Invites people in ${scope.environment} automatically, and nobody twice.`}
      action="Create wave"
      wide
      onClose={onClose}
      onSubmit={async () => {
        const wave = await createWave(scope, requestOf(draft));
        toast(`Created ${wave.name}`);
        await onCreated(wave);
      }}
    >
      {(problem) => (
        <>
          <Field label="Name" error={problem('name')}>
            <Input
              value={draft.name}
              autoComplete="off"
              onChange={(event) => set({ name: event.target.value })}
            />
          </Field>
          <Tabs
            label="How"
            value={draft.way}
            onChange={(way) => set({ way })}
            tabs={[
              { value: 'schedule', label: 'At set times' },
              { value: 'open', label: 'Keep invites open' },
            ]}
          />
          {draft.way === 'schedule' ? (
            <ScheduleFields draft={draft} set={set} problem={problem} />
          ) : (
            <NumberField
              label="Open invites"
              help="When one is accepted, expires or is revoked, the next person is invited."
              value={draft.keepOpen}
              error={problem('keepOpen')}
              onChange={(keepOpen) => set({ keepOpen })}
            />
          )}
          <NumberField
            label="Until this many have joined"
            help="Counts everyone who accepts an invite from now on, and open invites. Leave it empty for no limit."
            value={draft.untilJoined}
            error={problem('untilJoined')}
            onChange={(untilJoined) => set({ untilJoined })}
          />
          <Who scope={scope} draft={draft} set={set} problem={problem} />
          <Preview scope={scope} draft={draft} />
        </>
      )}
    </FormDialog>
  );
}

function Who({ scope, draft, set, problem }: PartProps & { scope: Scope }) {
  const { data: waitlist } = useQuery(waitlistQuery(scope));
  const keys = waitlist?.metadataKeys ?? [];
  return (
    <>
      <Field label="Who" error={problem(draft.who === 'segment' ? 'segment' : 'quotas')}>
        <Select
          label="Who"
          value={draft.who}
          onChange={(who) => set({ who })}
          options={[
            { value: 'everyone', label: 'Everyone, in the order of the queue' },
            { value: 'segment', label: 'A segment' },
            { value: 'quotas', label: 'Divided by quotas' },
          ]}
        />
      </Field>
      {draft.who === 'segment' && (
        <>
          <SavedSegmentField
            scope={scope}
            status="waiting"
            segment={segmentOf(draft.segment)}
            onChange={(segment) => set({ segment: draftOf(segment) })}
          />
          <SegmentFields draft={draft.segment} onChange={(segment) => set({ segment })} keys={keys} />
        </>
      )}
      {draft.who === 'quotas' && <QuotaFields draft={draft} set={set} problem={problem} />}
    </>
  );
}

/** What the plan would do, once it is complete. */
function Preview({ scope, draft }: { scope: Scope; draft: WaveDraft }) {
  const text = JSON.stringify(previewOf(draft) ?? null);
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const { data, isError } = useQuery({
    ...forecastQuery(scope, JSON.parse(settled) ?? undefined),
    placeholderData: keepPreviousData,
  });
  if (isError || !data || settled === 'null') return null;
  return (
    <div className="flex flex-col gap-2">
      <p className="text-sm font-medium">What it would do</p>
      <div className="rounded-md py-1 ring-1 ring-line ring-inset">
        <Upcoming
          upcoming={data.upcoming.slice(0, 5)}
          empty="Enough invites are open, or nobody is waiting."
        />
      </div>
    </div>
  );
}
