import type { Schemas } from './client.ts';

export type EntryStatus = Schemas['Entry']['status'];
export type InviteState = Schemas['Invite']['state'];
export type DeliveryState = Schemas['DeliveryState'];

/** In the order in which they are shown. */
export const ENTRY_STATUSES = all<EntryStatus>({
  waiting: 0,
  pending: 0,
  invited: 0,
  joined: 0,
  declined: 0,
  removed: 0,
});
export const INVITE_STATES = all<InviteState>({ open: 0, accepted: 0, expired: 0, revoked: 0 });
export const DELIVERY_STATES = all<DeliveryState>({ delivered: 0, pending: 0, failed: 0, held: 0 });

/** The keys. The compiler notices where the API gets another one. */
export function all<Key extends string>(keys: Readonly<Record<Key, 0>>): readonly Key[] {
  return Object.keys(keys) as Key[];
}
