import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { all } from './choices.ts';
import { api, call, type Schemas } from './client.ts';

export type Operator = Schemas['Operator'];
export type Role = Operator['role'];
/** What the owner can turn off for support. */
export type Duty = Schemas['MeOperator']['may'][number];
type Me = Operator & { may: readonly Duty[] };

/** From the most to the least powerful. */
export const ROLES = all<Role>({ owner: 0, admin: 0, support: 0, viewer: 0 });

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: async (): Promise<Me> => {
    const me = await call(api.GET('/admin/v1/me'));
    if (me.kind !== 'operator') throw new Error('the dashboard needs a signed-in operator');
    return { ...me.operator, may: me.may };
  },
});

/** Who is signed in. */
export function useMe(): Me {
  return useSuspenseQuery(meQuery).data;
}

export function mayActAs(role: Role, required: Role): boolean {
  return ROLES.indexOf(role) <= ROLES.indexOf(required);
}

/** Whether the signed-in operator has at least this role, or this duty of support. The server checks it again. */
export function useMay(required: Role, duty?: Duty): boolean {
  const { role, may } = useMe();
  return mayActAs(role, required) || (duty !== undefined && may.includes(duty));
}

/** Who may do it, if the signed-in operator may not: for what is dimmed. */
export function useWhyNot(what: string, required: Role, duty?: Duty): string | undefined {
  const { role } = useMe();
  if (useMay(required, duty)) return undefined;
  if (duty !== undefined && role === 'support') return 'The owner has turned this off for support.';
  return `Only ${required}s can ${what}.`;
}
