import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { ENTRY_STATUSES } from '../../api/choices.ts';
import { api, call } from '../../api/client.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { Alert } from '../../ui/alert.tsx';
import { Button } from '../../ui/button.tsx';
import { capitalize } from '../../ui/capitalize.ts';
import { Card } from '../../ui/card.tsx';
import { dayProblem, LAST_DAY } from '../../ui/day.ts';
import { Field, Input } from '../../ui/field.tsx';
import { Segments } from '../../ui/segments.tsx';
import { Select } from '../../ui/select.tsx';
import { useAct } from '../../ui/use-act.ts';
import { savedSegmentsQuery } from '../queue/saved-segments.ts';
import { midnightInWords } from '../queue/segment-words.ts';
import { EMPTY_DRAFT, type ExportDraft, requestOf } from './export-draft.ts';
import { ExportHistory } from './export-history.tsx';
import { exportsQuery, fileUrl } from './jobs.ts';

const FORMATS = [
  { value: 'csv', label: 'CSV' },
  { value: 'json', label: 'JSON' },
  { value: 'ndjson', label: 'JSON Lines' },
] as const;
const STATUSES = [
  { value: 'all', label: 'Everyone' },
  ...ENTRY_STATUSES.map((value) => ({ value, label: capitalize(value) })),
] as const;

/** Choose people and a format, download the file. */
export function ExportTab({ scope }: { scope: Scope }) {
  const client = useQueryClient();
  const [draft, setDraft] = useState(EMPTY_DRAFT);
  const set = (part: Partial<ExportDraft>) => setDraft({ ...draft, ...part });
  const { run, busy, error } = useAct(async () => {
    const { waitlistId, environment } = scope;
    const created = await call(
      api.POST('/admin/v1/waitlists/{waitlistId}/exports', {
        params: { path: { waitlistId }, query: { environment } },
        body: requestOf(draft),
      }),
    );
    await client.invalidateQueries({ queryKey: exportsQuery(scope).queryKey });
    save(fileUrl(scope, created.id));
  });
  const problem = (field: string) => error?.about(field);
  const other = error?.besides(['segment.minReferrals', 'segment.joinedAfter', 'segment.joinedBefore']);
  return (
    <div className="flex flex-col gap-6">
      <Card
        title="Export people"
        about={`The file contains personal data from ${scope.environment}. Every download is in the audit trail.`}
      >
        <form
          className="flex flex-col gap-5"
          onSubmit={(event: FormEvent) => {
            event.preventDefault();
            void run();
          }}
        >
          <div className="flex flex-col items-start gap-1.5">
            <span className="text-sm font-medium" aria-hidden>
              Format
            </span>
            <Segments
              label="Format"
              value={draft.format}
              options={FORMATS}
              onChange={(format) => set({ format })}
            />
          </div>
          <ExportConditions scope={scope} draft={draft} set={set} problem={problem} />
          {other !== undefined && <Alert>{other}</Alert>}
          <div>
            <Button type="submit" look="primary" busy={busy} icon={<Download aria-hidden />}>
              Export
            </Button>
          </div>
        </form>
      </Card>
      <ExportHistory scope={scope} />
    </div>
  );
}

interface ExportConditionsProps {
  scope: Scope;
  draft: ExportDraft;
  set: (part: Partial<ExportDraft>) => void;
  /** What the API said about a field. */
  problem: (path: string) => string | undefined;
}

/** Whom the file is about. */
function ExportConditions({ scope, draft, set, problem }: ExportConditionsProps) {
  const { data: saved = [] } = useQuery(savedSegmentsQuery(scope));
  const statusOf = (id: string) => {
    const status = saved.find((each) => each.id === id)?.conditions.status;
    return status === undefined ? {} : { status };
  };
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-4">
        <Field label="Who">
          <Select
            label="Who"
            value={draft.status}
            onChange={(status) => set({ status })}
            options={STATUSES}
          />
        </Field>
        <Field label="Minimum referrals" error={problem('segment.minReferrals')}>
          <Input
            type="number"
            min={0}
            placeholder="Any"
            value={draft.minReferrals}
            onChange={({ target: { value } }) => set({ minReferrals: value })}
          />
        </Field>
        <Field
          label="Signed up from"
          help={midnightInWords()}
          error={dayProblem(draft.joinedAfter) ?? problem('segment.joinedAfter')}
        >
          <Input
            type="date"
            max={LAST_DAY}
            value={draft.joinedAfter}
            onChange={({ target: { value } }) => set({ joinedAfter: value })}
          />
        </Field>
        <Field
          label="Signed up before"
          help={midnightInWords()}
          error={dayProblem(draft.joinedBefore) ?? problem('segment.joinedBefore')}
        >
          <Input
            type="date"
            max={LAST_DAY}
            value={draft.joinedBefore}
            onChange={({ target: { value } }) => set({ joinedBefore: value })}
          />
        </Field>
      </div>
      {saved.length > 0 && (
        <Field label="Saved segment" className="max-w-lg" help="The conditions here narrow it further.">
          <Select
            label="Saved segment"
            value={draft.saved}
            onChange={(id) => set({ saved: id, ...statusOf(id) })}
            options={[
              { value: '', label: 'None' },
              ...saved.map(({ id, name }) => ({ value: id, label: name })),
            ]}
          />
        </Field>
      )}
      <Field
        label="Metadata"
        className="max-w-lg"
        help="Such as plan=pro, source=newsletter. All of them must match."
      >
        <Input
          autoComplete="off"
          spellCheck={false}
          placeholder="Any"
          pattern="\s*[^=,]+=[^,]*(,[^=,]+=[^,]*)*"
          title="key=value, separated by commas"
          className="font-mono text-sm"
          value={draft.where}
          onChange={({ target: { value } }) => set({ where: value })}
        />
      </Field>
    </>
  );
}

/** The server streams the file, so that the browser never holds all of it. */
function save(url: string): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = '';
  link.click();
}
