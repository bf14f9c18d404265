import { queryOptions } from '@tanstack/react-query';
import { api, call, type Schemas } from '../../api/client.ts';
import { peopleKey } from '../../api/entries.ts';
import type { Scope } from '../../shell/waitlist-scope.ts';

export type Rule = Schemas['Rule'];
export type Outcome = Rule['then'];
export type RuleRequest = Schemas['RuleRequest'];
export type RulePreview = Schemas['RulePreview'];

export const OUTCOMES: Record<Outcome, { label: string; done: string }> = {
  approve: { label: 'Invite at once', done: 'invited' },
  advance: { label: 'Put first in line', done: 'put first' },
  decline: { label: 'Decline', done: 'declined' },
};

export const rulesKey = ({ waitlistId, environment }: Scope) => ['rules', waitlistId, environment];
const queueOf = ({ waitlistId, environment }: Scope) => ({ path: { waitlistId }, query: { environment } });

export const rulesQuery = (scope: Scope) =>
  queryOptions({
    queryKey: rulesKey(scope),
    queryFn: async () =>
      (await call(api.GET('/admin/v1/waitlists/{waitlistId}/rules', { params: queueOf(scope) }))).rules,
  });

export async function createRule(scope: Scope, body: RuleRequest): Promise<Rule> {
  return (await call(
    api.POST('/admin/v1/waitlists/{waitlistId}/rules', { params: queueOf(scope), body }),
  )) as Rule;
}

export const previewQuery = (scope: Scope, body: RuleRequest) =>
  queryOptions({
    queryKey: [...peopleKey(scope), 'rule', body],
    queryFn: async ({ signal }) =>
      (await call(
        api.POST('/admin/v1/waitlists/{waitlistId}/rules', {
          params: queueOf(scope),
          body: { ...body, dryRun: true },
          signal,
        }),
      )) as unknown as RulePreview,
    gcTime: 0,
    retry: false,
  });

export function deleteRule({ waitlistId, environment }: Scope, ruleId: string) {
  return call(
    api.DELETE('/admin/v1/waitlists/{waitlistId}/rules/{ruleId}', {
      params: { path: { waitlistId, ruleId }, query: { environment } },
    }),
  );
}
