import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { ShieldCheck } from 'lucide-react';
import { api, call } from '../../api/client.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { Segments } from '../../ui/segments.tsx';
import { SkeletonRows } from '../../ui/skeleton.tsx';
import { REFUSED_PERIODS, type RefusedPeriod } from './form-choices.ts';

const DAY_MS = 86_400_000;

const REASONS: Record<string, string> = {
  origin: 'From a site that is not allowed',
  honeypot: 'Filled in the field that only bots see',
  token: 'Not sent by the form',
  expired: 'The form had been open for too long',
  too_fast: 'Sent faster than a person can type',
  proof: 'Without a valid proof of work',
  spent: 'A proof of work that was used before',
  captcha: 'Did not pass the CAPTCHA',
  disposable: 'Disposable email address',
  rate_limited: 'Too many in a short time',
};

/** What the form turned away, by reason. */
export function RefusedCard({ scope: { waitlistId, environment } }: { scope: Scope }) {
  const { period = '7d' } = useSearch({ from: '/shell/waitlists/$waitlistId/form' });
  const navigate = useNavigate({ from: '/waitlists/$waitlistId/form' });
  const query = useQuery({
    queryKey: ['form-refused', waitlistId, environment, period],
    queryFn: () => {
      const days = REFUSED_PERIODS.find(({ value }) => value === period)?.days ?? 7;
      const from = new Date(Date.now() - days * DAY_MS).toISOString();
      return call(
        api.GET('/admin/v1/waitlists/{waitlistId}/form/refused', {
          params: { path: { waitlistId }, query: { environment, from } },
        }),
      );
    },
  });
  const choose = (next: RefusedPeriod) =>
    void navigate({ search: (now) => ({ ...now, period: next === '7d' ? undefined : next }) });
  return (
    <Card
      title="Turned away"
      about="Posts to the form that failed a check. People are not told why."
      actions={<Segments label="Period" value={period} options={REFUSED_PERIODS} onChange={choose} />}
    >
      <QueryProblem query={query}>
        {query.data ? <Reasons totals={query.data.totals} /> : <SkeletonRows rows={3} flush />}
      </QueryProblem>
    </Card>
  );
}

function Reasons({ totals }: { totals: Record<string, number> }) {
  const reasons = Object.entries(totals).sort(([, a], [, b]) => b - a);
  const largest = reasons[0]?.[1] ?? 1;
  if (reasons.length === 0)
    return <EmptyState icon={<ShieldCheck aria-hidden />} title="Nothing was turned away" />;
  return (
    <ul aria-label="Turned away, by reason" className="flex flex-col gap-1.5">
      {reasons.map(([reason, count]) => (
        <li key={reason} className="relative flex min-h-8 items-center gap-3 px-2.5 py-1 text-sm">
          <span
            aria-hidden
            className="absolute inset-y-0 left-0 rounded-sm bg-warn-soft"
            style={{ width: `${Math.max(1, (count / largest) * 100)}%` }}
          />
          <span className="relative min-w-0 flex-1">{REASONS[reason] ?? reason}</span>
          <span className="relative font-medium tabular-nums">{count.toLocaleString('en')}</span>
        </li>
      ))}
    </ul>
  );
}
