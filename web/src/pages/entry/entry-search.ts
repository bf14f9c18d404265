/** What the drawer shows about an entry. */
export const ENTRY_TABS = ['details', 'history', 'referrals', 'invites', 'emails', 'deliveries'] as const;
export type EntryTab = (typeof ENTRY_TABS)[number];
