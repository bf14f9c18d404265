import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Tagged } from '../../api/client.ts';
import { instanceQuery } from '../../api/instance.ts';
import { mailableOf, mailStatusQuery } from '../../api/mail-status.ts';
import { waitlistQuery } from '../../api/waitlists.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { Field, Input } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Select } from '../../ui/select.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { toast } from '../../ui/toast.tsx';
import { useSettings } from '../../ui/use-settings.ts';
import { useSettled } from '../../ui/use-settled.ts';
import { NotMailed } from '../invites/not-mailed.tsx';
import { SavedSegmentField } from '../queue/saved-segment-field.tsx';
import { draftOf, segmentOf } from '../queue/segment-draft.ts';
import { SegmentFields } from '../queue/segment-fields.tsx';
import { NumberField, type PartProps } from './number-field.tsx';
import { QuotaFields } from './quota-fields.tsx';
import { ScheduleFields } from './schedule-fields.tsx';
import { nobodyWhy, nothingWhy, Upcoming } from './upcoming.tsx';
import { changesOf, draftFrom, newDraft, previewOf, requestOf, type WaveDraft } from './wave-draft.ts';
import { LABELS } from './wave-labels.ts';
import {
  createWave,
  forecastQuery,
  updateWave,
  type Wave,
  type WaveChange,
  type WaveRequest,
  waveQuery,
  whoInWords,
} from './waves.ts';

const SETTLE_MS = 400;

interface WaveFormProps {
  scope: Scope;
  /** The one to change. A new one if there is none. */
  wave?: Tagged<Wave>;
  onClose: () => void;
  onSaved: (wave: Wave) => Promise<void>;
}

/** A new one has neither a plan yet nor an ETag. */
type Plan = (Wave & { etag?: string }) | undefined;

/** Plans a wave, and shows what it would do; or changes the plan of one. */
export function WaveForm({ scope, wave, onClose, onSaved }: WaveFormProps) {
  const client = useQueryClient();
  const { data: instance } = useQuery(instanceQuery);
  const invites = mailableOf(useQuery(mailStatusQuery(scope)).data, 'invite');
  const { draft, set, meanwhile, save } = useSettings<Plan, WaveDraft, WaveChange>({
    saved: wave,
    draftOf: (plan) => (plan ? draftFrom(plan) : newDraft(instance?.defaultTimeZone ?? 'UTC')),
    changesOf: (plan, edited) => (plan ? changesOf(plan, edited) : requestOf(edited)),
    save: (changes, from) =>
      from ? updateWave(scope, from.id, changes, from.etag) : createWave(scope, changes as WaveRequest),
    others: {
      labels: LABELS,
      reload: async () => wave && (await client.fetchQuery({ ...waveQuery(scope, wave.id), staleTime: 0 })),
    },
  });
  return (
    <FormDialog
      title={wave ? 'Edit the plan' : 'Plan a wave'}
      about={
        wave
          ? 'A run that is under way follows the new plan from its next batch. Invites that were sent stay open.'
          : `Invites people in ${scope.environment} automatically, and nobody twice.`
      }
      action={wave ? 'Save plan' : 'Create wave'}
      wide
      onClose={onClose}
      meanwhile={meanwhile}
      onSubmit={async (over) => {
        const saved = await save(over);
        if (!saved) return;
        toast(wave ? 'Saved the plan' : `Created ${saved.name}`);
        await onSaved(saved);
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
            help={`Counts everyone who accepts an invite ${wave ? 'since the wave was created' : 'from now on'}, and open invites. Leave it empty for no limit.`}
            value={draft.untilJoined}
            error={problem('untilJoined')}
            onChange={(untilJoined) => set({ untilJoined })}
          />
          <Who scope={scope} wave={wave} draft={draft} set={set} problem={problem} />
          {invites && <NotMailed mailable={invites} otherwise="Invites are not emailed" />}
          {!wave && <Preview scope={scope} draft={draft} />}
        </>
      )}
    </FormDialog>
  );
}

function Who({ scope, wave, draft, set, problem }: PartProps & { scope: Scope; wave: Wave | undefined }) {
  const mayKeep = wave !== undefined && draftFrom(wave).who === 'kept';
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
            ...(mayKeep ? [{ value: 'kept' as const, label: whoInWords(wave) }] : []),
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
  const settled = useSettled(text, SETTLE_MS);
  const { data, isError } = useQuery({
    ...forecastQuery(scope, JSON.parse(settled) ?? undefined),
    placeholderData: keepPreviousData,
  });
  if (isError || !data || settled === 'null') return null;
  const plan = { ...data.plan, ...data, joined: 0 };
  return (
    <div className="flex flex-col gap-2">
      <p className="text-sm font-medium">What it would do</p>
      <div className="rounded-md py-1 ring-1 ring-line ring-inset">
        <Upcoming
          upcoming={data.upcoming.slice(0, 5)}
          timeZone={draft.way === 'schedule' ? draft.timeZone : undefined}
          nobody={nobodyWhy(plan)}
          empty={nothingWhy(plan)}
        />
      </div>
    </div>
  );
}
