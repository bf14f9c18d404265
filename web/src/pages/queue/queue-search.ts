import { ENTRY_STATUSES } from '../../api/choices.ts';
import { choiceOf, textOf } from '../../search.ts';
import { ENTRY_TABS, type EntryTab } from '../entry/entry-search.ts';
import { readSegment, type Segment } from './segment.ts';

export const QUEUE_TABS = [...ENTRY_STATUSES, 'all'] as const;
export type QueueTab = (typeof QUEUE_TABS)[number];

export interface QueueSearch extends Segment {
  /** Waiting where it is missing. */
  tab?: QueueTab;
  /** Of all entries. Newest first where it is missing. */
  order?: 'oldest';
  search?: string;
  /** Metadata keys that have a column of their own, instead of those that the browser keeps. */
  column?: string[];
  /** Number of the row to scroll to, from 1. */
  at?: string;
  /** The entry in the drawer, and what is shown of it. */
  entry?: string;
  about?: EntryTab;
  /** The dialog to add a person. */
  add?: 'person';
}

export function readQueueSearch(search: Record<string, unknown>): QueueSearch {
  const at = textOf(search.at);
  const columns = [search.column ?? []].flat().filter((key) => typeof key === 'string');
  return {
    ...readSegment(search),
    tab: choiceOf(search.tab, QUEUE_TABS),
    order: choiceOf(search.order, ['oldest']),
    search: textOf(search.search)?.trim() || undefined,
    column: columns.length > 0 ? columns : undefined,
    at: at !== undefined && /^[1-9]\d{0,9}$/.test(at) ? at : undefined,
    entry: textOf(search.entry),
    about: choiceOf(search.about, ENTRY_TABS),
    add: choiceOf(search.add, ['person']),
  };
}
