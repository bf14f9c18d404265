import { choiceOf, textOf } from '../../search.ts';
import { ENTRY_TABS, type EntryTab } from '../entry/entry-search.ts';

export interface CodesSearch {
  /** The code whose people are shown. */
  code?: string | undefined;
  /** The person who is shown, and what about them. */
  entry?: string | undefined;
  about?: EntryTab | undefined;
}

export function readCodesSearch(search: Record<string, unknown>): CodesSearch {
  return {
    code: textOf(search.code),
    entry: textOf(search.entry),
    about: choiceOf(search.about, ENTRY_TABS),
  };
}
