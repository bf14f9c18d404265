import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { all } from './choices.ts';
import { api, call, type Schemas } from './client.ts';

export type Operator = Schemas['Operator'];
export type Role = Operator['role'];

/** From the most to the least powerful. */
export const ROLES = all<Role>({ owner: 0, admin: 0, support: 0, viewer: 0 });

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: async (): Promise<Operator> => {
    const me = await call(api.GET('/admin/v1/me'));
    if (me.kind !== 'operator') throw new Error('the dashboard needs a signed-in operator');
    return me.operator;
  },
});

/** Who is signed in. */
export function useMe(): Operator {
  return useSuspenseQuery(meQuery).data;
}

export function mayActAs(role: Role, required: Role): boolean {
  return ROLES.indexOf(role) <= ROLES.indexOf(required);
}

/** Whether the signed-in operator has at least this role. The server checks it again. */
export function useMay(required: Role): boolean {
  return mayActAs(useMe().role, required);
}
