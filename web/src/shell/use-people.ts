import { queryOptions, useQuery } from '@tanstack/react-query';
import { api, call } from '../api/client.ts';
import { useSettled } from '../ui/use-settled.ts';
import { isPerson } from './palette-commands.ts';

const SETTLE_MS = 200;

const peopleQuery = (search: string) =>
  queryOptions({
    queryKey: ['people everywhere', search],
    queryFn: ({ signal }) => call(api.GET('/admin/v1/people', { params: { query: { search } }, signal })),
    gcTime: 0,
  });

/** Where a person is, in all waitlists, and what to say about the search. */
export function usePeople(text: string, may: boolean) {
  const settled = useSettled(text.trim(), SETTLE_MS);
  const isAsked = may && isPerson(text);
  const isReady = isAsked && settled === text.trim();
  const { data, isError, isFetching } = useQuery({ ...peopleQuery(settled), enabled: isReady });
  const people = isReady && data ? data.people : [];
  return { people, words: isAsked ? wordsFor() : '' };

  function wordsFor(): string {
    if (!isReady || isFetching) return 'Looking in all waitlists…';
    if (isError) return 'The waitlists could not be searched.';
    if (data?.complete === false) return 'There can be more: not every waitlist was searched.';
    return people.length === 0 ? 'On no waitlist.' : '';
  }
}
