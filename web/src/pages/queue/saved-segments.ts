import { queryOptions } from '@tanstack/react-query';
import type { EntryStatus } from '../../api/choices.ts';
import { api, call, type Schemas } from '../../api/client.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { readSegment, type Segment } from './segment.ts';
import { conditionsOf } from './segment-words.ts';

export type SavedSegment = Schemas['SavedSegment'];

export const savedSegmentsQuery = ({ waitlistId, environment }: Scope) =>
  queryOptions({
    queryKey: ['segments', waitlistId, environment],
    queryFn: async () => {
      const params = { path: { waitlistId }, query: { environment } };
      const { segments } = await call(api.GET('/admin/v1/waitlists/{waitlistId}/segments', { params }));
      return segments;
    },
  });

/** As the address of the queue has it. */
export function segmentOfSaved({ conditions }: SavedSegment): Segment {
  const { minReferrals, status: _, ...rest } = conditions;
  return readSegment({
    ...rest,
    minReferrals: minReferrals === undefined ? undefined : String(minReferrals),
  });
}

export function bodyOf(segment: Segment, status: EntryStatus | undefined): SavedSegment['conditions'] {
  return JSON.parse(JSON.stringify({ ...conditionsOf(segment), status }));
}

export function isSame(saved: SavedSegment, segment: Segment, status: EntryStatus | undefined): boolean {
  const sorted = (of: Segment) => ({ ...conditionsOf(of), where: of.where?.toSorted() });
  return (
    saved.conditions.status === status &&
    JSON.stringify(sorted(segmentOfSaved(saved))) === JSON.stringify(sorted(segment))
  );
}
