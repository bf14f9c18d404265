import { number } from '../../ui/number.ts';

/** "1 invite", "1,234 invites" */
export function invitesOf(count: number): string {
  return count === 1 ? '1 invite' : `${number(count)} invites`;
}
