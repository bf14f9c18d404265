import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { ListChecks, ListOrdered, RotateCcw } from 'lucide-react';
import { people } from '../../api/entries.ts';
import { environmentSearch, type Scope, useScope } from '../../shell/waitlist-scope.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { SkeletonRows } from '../../ui/skeleton.tsx';
import { EntryDrawer } from '../entry/entry-drawer.tsx';
import { Conditions } from '../queue/queue-toolbar.tsx';
import { isEmpty, readSegment, type Segment } from '../queue/segment.ts';
import { useLivePeople } from '../queue/use-live-people.ts';
import { PersonToReview } from './person-to-review.tsx';
import type { ReviewSearch } from './review-search.ts';
import { type Review, useReview } from './use-review.ts';

/** One person after the other, to let in or to decline. */
export function ReviewPage() {
  const scope = useScope();
  const search = useSearch({ from: '/shell/waitlists/$waitlistId/queue/review' });
  const navigate = useNavigate({ from: '/waitlists/$waitlistId/queue/review' });
  const set = (change: ReviewSearch, replace = false) =>
    void navigate({ search: (now) => ({ ...now, ...change }), replace, resetScroll: false });
  const segment = readSegment({ ...search });
  useLivePeople(scope);
  return (
    <>
      <PageHeader
        title="Review"
        about="Those who wait, one after the other. Decide who gets in, who does not, and who can wait."
        actions={<ToQueue scope={scope} segment={segment} />}
      />
      <div className="flex flex-col gap-4">
        {!isEmpty(segment) && (
          <div className="flex flex-wrap items-center gap-2">
            <Conditions scope={scope} segment={segment} onChange={(next) => set({ ...next })} />
          </div>
        )}
        <OneByOne
          key={`${scope.waitlistId} ${scope.environment} ${JSON.stringify(segment)}`}
          scope={scope}
          segment={segment}
          onOpen={(entry) => set({ entry, about: undefined })}
        />
      </div>
      <EntryDrawer
        scope={scope}
        entryId={search.entry}
        tab={search.about ?? 'details'}
        onTab={(about) => set({ about: about === 'details' ? undefined : about }, true)}
        onOpen={(entry) => set({ entry, about: undefined })}
        onClose={() => set({ entry: undefined, about: undefined }, true)}
      />
    </>
  );
}

function ToQueue({ scope, segment }: { scope: Scope; segment: Segment }) {
  return (
    <Link
      to="/waitlists/$waitlistId/queue"
      params={{ waitlistId: scope.waitlistId }}
      search={{ ...environmentSearch(scope.environment), ...segment }}
      className={buttonClass()}
    >
      <ListOrdered aria-hidden />
      Queue
    </Link>
  );
}

interface OneByOneProps {
  scope: Scope;
  segment: Segment;
  onOpen: (entryId: string) => void;
}

function OneByOne({ scope, segment, onOpen }: OneByOneProps) {
  const review = useReview(scope, segment);
  const { current, isOver, query } = review;
  return (
    <QueryProblem framed query={{ ...query, isError: query.isError && !current, data: undefined }}>
      {current ? (
        <PersonToReview key={current.id} scope={scope} listed={current} review={review} onOpen={onOpen} />
      ) : isOver ? (
        <Over review={review} isFiltered={!isEmpty(segment)} />
      ) : (
        <Card>
          <SkeletonRows flush rows={8} />
        </Card>
      )}
    </QueryProblem>
  );
}

/** Nobody is left, and what became of those who were shown. */
function Over({ review, isFiltered }: { review: Review; isFiltered: boolean }) {
  const { at, count, startAgain, goTo } = review;
  const [approved, declined, later] = [count('approved'), count('declined'), count('later')];
  const outcomes = [
    ...(approved > 0 ? [`${people(approved)} approved`] : []),
    ...(declined > 0 ? [`${people(declined)} declined`] : []),
    ...(later > 0 ? [`${people(later)} left for later`] : []),
  ];
  return (
    <Card>
      <EmptyState
        icon={<ListChecks aria-hidden />}
        title={at === 0 ? 'Nobody to review' : 'That was everybody'}
        action={
          <>
            {at > 0 && <Button onClick={() => goTo(at - 1)}>Back</Button>}
            <Button icon={<RotateCcw aria-hidden />} onClick={startAgain}>
              {later > 0 ? 'Start again' : 'Look for new signups'}
            </Button>
          </>
        }
      >
        {at === 0
          ? `${isFiltered ? 'Nobody who waits matches the filter.' : 'Nobody is waiting.'} Those who have not confirmed their email yet are in the queue, under Pending.`
          : `${outcomes.join(', ') || 'Nothing was decided here'}.`}
      </EmptyState>
    </Card>
  );
}
