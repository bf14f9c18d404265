import { useQuery } from '@tanstack/react-query';
import { FileUp } from 'lucide-react';
import { useCommands } from '../../api/commands.ts';
import type { Job } from '../../api/jobs.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { Card } from '../../ui/card.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { JobBadge } from './job-badge.tsx';
import { importResultOf, importsQuery, rowsInWords } from './jobs.ts';

const COLUMNS: Column<Job>[] = [
  { id: 'at', label: 'Started', cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
  {
    id: 'what',
    label: 'What',
    wide: true,
    cell: (job) => (importResultOf(job)?.dryRun ? 'Check' : 'Import'),
  },
  { id: 'state', label: 'Status', cell: (job) => <JobBadge job={job} /> },
  { id: 'result', label: 'Result', cell: (job) => summaryOf(job) },
];

function summaryOf(job: Job): string {
  const result = importResultOf(job);
  if (job.error !== null) return job.error;
  if (!result) return job.done ? rowsInWords(job.done) : '–';
  const { created, failed, dryRun, undone } = result;
  if (undone > 0) return `Undone, ${undone.toLocaleString('en')} removed`;
  const bad = failed > 0 ? `, ${failed.toLocaleString('en')} bad` : '';
  return `${created.toLocaleString('en')} ${dryRun ? 'to add' : 'added'}${bad}`;
}

/** Earlier imports and checks. Kept for 30 days. */
export function ImportHistory({ scope, onOpen }: { scope: Scope; onOpen: (jobId: string) => void }) {
  const query = useQuery(importsQuery(scope));
  const env = scope.environment === 'production' ? '' : ` --env ${scope.environment}`;
  const { command, note } = useCommands();
  const check = note + command(`import people.csv --waitlist ${scope.waitlistId}${env} --dry-run`);
  return (
    <Card flush title="Imports" about="Of the last 30 days.">
      <QueryProblem query={query}>
        <Table
          label="Imports"
          columns={COLUMNS}
          rows={query.data}
          rowId={({ id }) => id}
          onOpen={({ id }) => onOpen(id)}
          empty={
            <EmptyState
              icon={<FileUp aria-hidden />}
              title="No imports in the last 30 days"
              snippet={<CodeBlock snippets={[{ language: 'Command line', code: check }]} />}
            >
              Bring your people along. Files of any size can be imported on the server, too.
            </EmptyState>
          }
        />
      </QueryProblem>
    </Card>
  );
}
