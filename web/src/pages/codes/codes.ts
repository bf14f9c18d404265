import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, call, callTagged, ifMatch, type Schemas, type Tagged } from '../../api/client.ts';
import { peopleKey } from '../../api/entries.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';
import { dayIn, midnightIn } from '../../ui/day.ts';
import { number } from '../../ui/number.ts';
import type { Labels } from '../../ui/use-settings.ts';

export type Code = Schemas['Code'];
export type CodeRequest = Schemas['CodeRequest'];

const PAGE = 50;
const DAY_MS = 86_400_000;

export const codesKey = (scope: Scope) => [...peopleKey(scope), 'codes'];
const queueOf = ({ waitlistId, environment }: Scope) => ({ path: { waitlistId }, query: { environment } });
const codeOf = ({ waitlistId, environment }: Scope, codeId: string) => ({
  path: { waitlistId, codeId },
  query: { environment },
});

export const codesQuery = (scope: Scope) =>
  infiniteQueryOptions({
    queryKey: [...codesKey(scope), 'list'],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor }) => {
      const { path, query } = queueOf(scope);
      const params = { path, query: { ...query, limit: PAGE, cursor } };
      return call(api.GET('/admin/v1/waitlists/{waitlistId}/codes', { params }));
    },
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });

export const codeQuery = (scope: Scope, codeId: string) =>
  queryOptions({
    queryKey: [...codesKey(scope), codeId],
    queryFn: () =>
      callTagged(
        api.GET('/admin/v1/waitlists/{waitlistId}/codes/{codeId}', { params: codeOf(scope, codeId) }),
      ),
  });

export const usesQuery = (scope: Scope, codeId: string) =>
  infiniteQueryOptions({
    queryKey: [...codesKey(scope), codeId, 'uses'],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor }) => {
      const { path, query } = codeOf(scope, codeId);
      const params = { path, query: { ...query, limit: PAGE, cursor } };
      return call(api.GET('/admin/v1/waitlists/{waitlistId}/codes/{codeId}/uses', { params }));
    },
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });

export function createCode(scope: Scope, body: CodeRequest): Promise<Code> {
  return call(api.POST('/admin/v1/waitlists/{waitlistId}/codes', { params: queueOf(scope), body }));
}

export function updateCode(
  scope: Scope,
  codeId: string,
  body: Schemas['CodeChange'],
  etag: string | undefined,
): Promise<Tagged<Code>> {
  const params = { ...codeOf(scope, codeId), ...ifMatch(etag) };
  return callTagged(api.PATCH('/admin/v1/waitlists/{waitlistId}/codes/{codeId}', { params, body }));
}

export function deleteCode(scope: Scope, codeId: string) {
  return call(
    api.DELETE('/admin/v1/waitlists/{waitlistId}/codes/{codeId}', { params: codeOf(scope, codeId) }),
  );
}

/** As the form has it. */
export interface CodeDraft {
  code: string;
  does: Code['does'];
  /** Only for `advance`. */
  places: string;
  limit: string;
  /** In the time zone of the installation. Empty: it does not expire. */
  lastDay: string;
  tag: string;
}

export const NEW_CODE: CodeDraft = {
  ...{ code: '', does: 'admit', places: '50', limit: '100' },
  ...{ lastDay: '', tag: '' },
};
export const LABELS: Labels<CodeDraft> = {
  ...{ code: 'Code', does: 'What it does', places: 'Places', limit: 'Limit' },
  ...{ lastDay: 'Last day', tag: 'Tag' },
};

export function draftFrom({ code, does, places, limit, expiresAt, tag }: Code, timeZone: string): CodeDraft {
  const lastDay = expiresAt === null ? '' : dayIn(timeZone, Date.parse(expiresAt) - 1);
  return {
    ...{ code: code ?? '', does, places: String(places ?? ''), limit: String(limit) },
    ...{ lastDay, tag: tag ?? '' },
  };
}

/** What differs from another draft. */
export function changesOf(draft: CodeDraft, from: CodeDraft, timeZone: string): Schemas['CodeChange'] {
  const tag = draft.tag.trim();
  return {
    ...(draft.limit === from.limit ? {} : { limit: Number(draft.limit) }),
    ...(draft.lastDay === from.lastDay ? {} : { expiresAt: endOf(draft.lastDay, timeZone) }),
    ...(tag === from.tag ? {} : { tag: tag === '' ? null : tag }),
  };
}

function endOf(day: string, timeZone: string): string | null {
  if (day === '') return null;
  const next = new Date(Date.parse(`${day}T00:00:00Z`) + DAY_MS).toISOString().slice(0, 10);
  return new Date(midnightIn(next, timeZone)).toISOString();
}

export type CodeState = 'open' | 'used up' | 'expired';

export function stateOf({ used, limit, expiresAt }: Code): CodeState {
  if (used >= limit) return 'used up';
  return expiresAt !== null && Date.parse(expiresAt) <= Date.now() ? 'expired' : 'open';
}

/** In a few words. */
export function effectOf({ places }: Pick<Code, 'places'>): string {
  if (places === null) return 'Lets people in';
  return `${number(places)} ${places === 1 ? 'place' : 'places'} earlier`;
}

/** Viewers do not see it. */
export function nameOfCode({ code }: Pick<Code, 'code'>): string {
  return code ?? 'Hidden code';
}
