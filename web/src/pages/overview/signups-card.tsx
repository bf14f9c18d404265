import { lazy, Suspense } from 'react';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { SignupsChart } from './signups-chart.tsx';
import type { Statistics } from './statistics-query.ts';

const ComparedChart = lazy(() => import('./compared-chart.tsx'));

interface SignupsCardProps {
  statistics: Statistics | undefined;
  /** There were none in the period, which is called so. */
  noneIn: string | undefined;
  isCompared: boolean;
  onCompare: (isCompared: boolean) => void;
}

/** Signups over time, and those of the period before if somebody wants to compare. */
export function SignupsCard({ statistics, noneIn, isCompared, onCompare }: SignupsCardProps) {
  const chart = () => {
    if (!statistics) return <Skeleton className="h-68" />;
    if (isCompared)
      return (
        <Suspense fallback={<Skeleton className="h-68" />}>
          <ComparedChart statistics={statistics} />
        </Suspense>
      );
    if (noneIn !== undefined)
      return <p className="flex h-68 items-center justify-center text-mute">No signups in {noneIn}.</p>;
    return <SignupsChart statistics={statistics} />;
  };
  return (
    <Card
      title="Signups"
      actions={
        <Button
          size="sm"
          look="quiet"
          aria-pressed={isCompared}
          className={isCompared ? 'bg-hover' : ''}
          onClick={() => onCompare(!isCompared)}
        >
          Compare periods
        </Button>
      }
    >
      {chart()}
    </Card>
  );
}
