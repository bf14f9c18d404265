import type { Job } from '../../api/jobs.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { importResultOf } from './jobs.ts';

const STATES: Record<Job['state'], { label: string; tone: Tone }> = {
  queued: { label: 'Queued', tone: 'sky' },
  running: { label: 'Running', tone: 'sky' },
  done: { label: 'Done', tone: 'accent' },
  failed: { label: 'Failed', tone: 'danger' },
  cancelled: { label: 'Cancelled', tone: 'neutral' },
};

export function JobBadge({ job }: { job: Job }) {
  const result = importResultOf(job);
  if (result && result.undone > 0)
    return <Badge>{result.undone < result.created ? 'Partly undone' : 'Undone'}</Badge>;
  const { label, tone } = STATES[job.state];
  return <Badge tone={tone}>{label}</Badge>;
}
