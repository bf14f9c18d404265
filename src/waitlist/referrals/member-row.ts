import type { Selectable } from 'kysely';
import type { EntryTable } from '../../db/tables.ts';

export const MEMBER_COLUMNS = [
  ...(['seq', 'closed', 'opened', 'referrals', 'moved', 'status', 'rank', 'depth'] as const),
  ...(['email_hash', 'phone_hash', 'mailbox_hash'] as const),
] as const;
export type FoundRow = Pick<Selectable<EntryTable>, (typeof MEMBER_COLUMNS)[number]>;
