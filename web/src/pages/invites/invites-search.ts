import { INVITE_STATES, type InviteState } from '../../api/choices.ts';
import { choiceOf, textOf } from '../../search.ts';
import { ENTRY_TABS, type EntryTab } from '../entry/entry-search.ts';
import { readSegment, type Segment } from '../queue/segment.ts';

/** Ways to choose who is invited. */
const INVITE_WAYS = ['first', 'segment', 'email'] as const;
export type InviteWay = (typeof INVITE_WAYS)[number];

export interface InvitesSearch extends Segment {
  state?: InviteState;
  /** The open dialog. */
  invite?: InviteWay;
  first?: string;
  entry?: string;
  about?: EntryTab;
}

export function readInvitesSearch(search: Record<string, unknown>): InvitesSearch {
  return {
    ...readSegment(search),
    state: choiceOf(search.state, INVITE_STATES),
    invite: choiceOf(search.invite, INVITE_WAYS),
    first: textOf(search.first),
    entry: textOf(search.entry),
    about: choiceOf(search.about, ENTRY_TABS),
  };
}
