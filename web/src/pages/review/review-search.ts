import { choiceOf, textOf } from '../../search.ts';
import { ENTRY_TABS, type EntryTab } from '../entry/entry-search.ts';
import { readSegment, type Segment } from '../queue/segment.ts';

export interface ReviewSearch extends Segment {
  /** The entry in the drawer, and what is shown of it. */
  entry?: string | undefined;
  about?: EntryTab | undefined;
}

export function readReviewSearch(search: Record<string, unknown>): ReviewSearch {
  return {
    ...readSegment(search),
    entry: textOf(search.entry),
    about: choiceOf(search.about, ENTRY_TABS),
  };
}
