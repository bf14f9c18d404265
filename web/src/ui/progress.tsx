import { Progress as Base } from '@base-ui/react/progress';

interface ProgressProps {
  label: string;
  /** null if it is not known how much is done. */
  value: number | null;
  /** null if it is not known how much there is to do. */
  max: number | null;
}

/** How far long work has come. */
export function Progress({ label, value, max }: ProgressProps) {
  const known = value === null || max === null ? null : Math.min(value, max);
  return (
    <Base.Root aria-label={label} value={known} max={max || 1}>
      <Base.Track className="h-1.5 overflow-hidden rounded-full bg-hover">
        <Base.Indicator className="h-full rounded-full bg-accent transition-[width] data-[indeterminate]:w-1/3 data-[indeterminate]:animate-pulse" />
      </Base.Track>
    </Base.Root>
  );
}
