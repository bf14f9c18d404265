import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { Users } from 'lucide-react';
import { useState } from 'react';
import { api, call, type Schemas } from '../../api/client.ts';
import { useMay } from '../../api/me.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { LoadMore } from '../../ui/load-more.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { toast, toastError } from '../../ui/toast.tsx';
import { useAct } from '../../ui/use-act.ts';

type Review = Schemas['ReferralReview'];
type Decision = Schemas['ReferralDecision']['decision'];

const MAILBOXES = {
  referrer: 'Same mailbox as the referrer',
  credited: 'A mailbox that was credited before',
};

const nameOf = (entry: { email: string | null; phone: string | null } | null) =>
  entry ? (entry.email ?? entry.phone ?? '') : 'Left the waitlist';

/** Referrals to review, and deciding about one. */
function useReviews({ waitlistId, environment }: Scope) {
  const client = useQueryClient();
  const queryKey = ['referral-reviews', waitlistId, environment];
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam: cursor }) =>
      call(
        api.GET('/admin/v1/waitlists/{waitlistId}/referral-reviews', {
          params: { path: { waitlistId }, query: { environment, cursor } },
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  });
  const decide = async ({ id: reviewId }: Review, decision: Decision) => {
    await call(
      api.POST('/admin/v1/waitlists/{waitlistId}/referral-reviews/{reviewId}', {
        params: { path: { waitlistId, reviewId }, query: { environment } },
        body: { decision },
      }),
    );
    await client.invalidateQueries({ queryKey });
    toast(decision === 'credit' ? 'Credited the referral' : 'Rejected the referral');
  };
  return { query, decide };
}

/** Referrals that look like abuse, for an operator to decide. */
export function ReviewsCard({ scope }: { scope: Scope }) {
  const mayDecide = useMay('support');
  const [rejecting, setRejecting] = useState<Review | null>(null);
  const { query, decide } = useReviews(scope);
  const credit = useAct((review: Review) => decide(review, 'credit').catch(toastError));
  const columns: Column<Review>[] = [
    {
      id: 'entry',
      label: 'Joined',
      cell: ({ entry, referrer, sharedMailbox }) => (
        <>
          <Person name={nameOf(entry)} />
          {sharedMailbox && <span className="block text-sm text-mute">{MAILBOXES[sharedMailbox]}</span>}
          <span className="text-sm text-mute md:hidden">
            <Person name={referrer ? `by ${nameOf(referrer)}` : 'The referrer left'} />
          </span>
        </>
      ),
    },
    {
      id: 'referrer',
      label: 'Referred by',
      wide: true,
      cell: ({ referrer }) => <Person name={nameOf(referrer)} />,
    },
    { id: 'at', label: 'When', wide: true, cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
    {
      id: 'decision',
      label: <span className="sr-only">Decision</span>,
      right: true,
      cell: (review) =>
        review.decision !== null ? (
          <Badge tone={review.decision === 'credit' ? 'accent' : 'neutral'}>
            {review.decision === 'credit' ? 'Credited' : 'Rejected'}
          </Badge>
        ) : mayDecide ? (
          <span className="flex justify-end gap-1 max-md:flex-col">
            <Button
              size="sm"
              busy={credit.doing?.[0].id === review.id}
              aria-label={`Credit the referral of ${nameOf(review.entry)}`}
              onClick={() => void credit.run(review)}
            >
              Credit
            </Button>
            <Button
              size="sm"
              look="quiet"
              aria-label={`Reject the referral of ${nameOf(review.entry)}`}
              onClick={() => setRejecting(review)}
            >
              Reject
            </Button>
          </span>
        ) : (
          <Badge tone="warn">Open</Badge>
        ),
    },
  ];
  return (
    <Card
      flush
      title="Referrals to review"
      about="Many signups from one network that name the same referrer count once confirmed, unless you reject them. Those who share a mailbox count only if you credit them."
    >
      <QueryProblem query={query}>
        <Table
          label="Referrals to review"
          columns={columns}
          rows={query.data?.pages.flatMap(({ reviews }) => reviews)}
          rowId={({ id }) => id}
          empty={<EmptyState icon={<Users aria-hidden />} title="No referral looks suspicious" />}
        />
      </QueryProblem>
      <LoadMore query={query} />
      <ConfirmDialog
        open={rejecting !== null}
        onClose={() => setRejecting(null)}
        title="Reject this referral?"
        about={`${nameOf(rejecting?.referrer ?? null)} loses the credit in ${scope.environment}, for good. The person who joined stays.`}
        action="Reject referral"
        onConfirm={async () => rejecting && decide(rejecting, 'reject')}
      />
    </Card>
  );
}

function Person({ name }: { name: string }) {
  return (
    <span className="block max-w-48 truncate md:max-w-64" title={name}>
      {name}
    </span>
  );
}
