import { useQuery, useQueryClient } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { isActive, type Job } from '../../api/jobs.ts';
import { useLive } from '../../api/live.tsx';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { Alert } from '../../ui/alert.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { capitalize } from '../../ui/capitalize.ts';
import { Card } from '../../ui/card.tsx';
import { Progress } from '../../ui/progress.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { SkeletonRows } from '../../ui/skeleton.tsx';
import { toastError } from '../../ui/toast.tsx';
import { BadRows } from './bad-rows.tsx';
import { ImportFindings, ImportOutcome } from './import-outcome.tsx';
import { ImportUndo } from './import-undo.tsx';
import { JobBadge } from './job-badge.tsx';
import {
  cancelJob,
  type ImportResult,
  importQuery,
  importResultOf,
  importsQuery,
  jobQuery,
  newest,
  rowsInWords,
} from './jobs.ts';

interface ImportPanelProps {
  jobId: string;
  scope: Scope;
  /** Whether it only checks the file, as far as this tab knows. */
  isCheck: boolean;
  onClose: () => void;
  /** What to do after a check. */
  action: (result: ImportResult) => ReactNode;
}

/** One import or check: its progress, then what came of it. */
export function ImportPanel({ jobId, scope, isCheck, onClose, action }: ImportPanelProps) {
  const client = useQueryClient();
  const query = useQuery(jobQuery(jobId));
  const { jobs } = useLive(scope.waitlistId, scope.environment);
  const job = query.data && newest(query.data, jobs?.[jobId]);
  const state = job?.state;
  const place = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: again whenever the state changes.
  useEffect(() => {
    void client.invalidateQueries({ queryKey: ['imports'] });
    place.current?.scrollIntoView({ block: 'nearest' });
  }, [client, state]);
  const result = job ? importResultOf(job) : null;
  const onUndone = () => void client.invalidateQueries({ queryKey: jobQuery(jobId).queryKey });
  const cancel = async () => {
    try {
      client.setQueryData(jobQuery(jobId).queryKey, await cancelJob(jobId));
      await client.invalidateQueries({ queryKey: importsQuery(scope).queryKey });
    } catch (error) {
      toastError(error);
    }
  };
  return (
    <div ref={place} className="scroll-my-6">
      <Card
        title={
          <span className="flex items-center gap-2">
            {result?.dryRun ? 'What would happen' : isCheck ? 'Checking the file' : 'Import'}
            {job && <JobBadge job={job} />}
          </span>
        }
        actions={
          <IconButton size="sm" label="Close" onClick={onClose}>
            <X aria-hidden />
          </IconButton>
        }
      >
        <QueryProblem query={query}>
          {job ? (
            <div className="flex flex-col gap-4">
              {isActive(job) && <Running job={job} onCancel={cancel} />}
              <div className="flex flex-col gap-4 empty:hidden" aria-live="polite">
                {job.error !== null && <Alert title="The import stopped">{capitalize(job.error)}.</Alert>}
                {job.state === 'cancelled' && (
                  <p className="text-mute">Cancelled. What was imported before stays.</p>
                )}
                {result && <ImportOutcome result={result} />}
                {!isActive(job) && result && (
                  <Ended
                    job={job}
                    scope={scope}
                    result={result}
                    action={action(result)}
                    onUndone={onUndone}
                  />
                )}
              </div>
            </div>
          ) : (
            <SkeletonRows rows={2} flush />
          )}
        </QueryProblem>
      </Card>
    </div>
  );
}

interface EndedProps {
  job: Job;
  scope: Scope;
  result: ImportResult;
  action: ReactNode;
  onUndone: () => void;
}

function Ended({ job, scope, result, action, onUndone }: EndedProps) {
  const query = useQuery(importQuery(scope, job.id));
  const report = query.data;
  const { dryRun, created, failed } = result;
  return (
    <>
      <QueryProblem query={query}>
        {report ? (
          <ImportFindings found={result.found} report={report} dryRun={dryRun} />
        ) : (
          <SkeletonRows rows={1} flush />
        )}
      </QueryProblem>
      {action}
      {report && !dryRun && created > 0 && (
        <ImportUndo
          scope={scope}
          jobId={job.id}
          undo={report.undo}
          created={created}
          undone={Number(report.job.result?.undone ?? 0)}
          onUndone={onUndone}
        />
      )}
      {failed > 0 && <BadRows scope={scope} job={job} count={failed} />}
    </>
  );
}

function Running({ job, onCancel }: { job: Job; onCancel: () => Promise<void> }) {
  return (
    <div className="flex flex-col gap-3">
      <Progress label="Rows" value={job.done} max={job.total} />
      <div className="flex items-center justify-between gap-3">
        <p className="text-sm text-mute tabular-nums">{rowsOf(job)}</p>
        <Button size="sm" onClick={() => void onCancel()}>
          Cancel
        </Button>
      </div>
    </div>
  );
}

function rowsOf({ done, total }: Job): string {
  return total === null
    ? rowsInWords(done ?? 0)
    : `${(done ?? 0).toLocaleString('en')} of ${rowsInWords(total)}`;
}
