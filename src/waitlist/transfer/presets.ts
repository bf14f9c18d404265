/**
 * What an imported column can be; a `metadata.` and a name makes it a key of the metadata, `-` leaves it out.
 * `status`, `invitedAt` and `acceptedAt` are what our own exports say.
 */
export type Target =
  | 'email'
  | 'phone'
  | 'referredBy'
  | 'referralCode'
  | 'joinedAt'
  | 'position'
  | 'metadata'
  | 'status'
  | 'invitedAt'
  | 'acceptedAt'
  | '-'
  | `metadata.${string}`;

/** Names of columns without regard to case, spaces, underscores and hyphens. */
export type ColumnTable = Readonly<Record<string, Target>>;

/** Columns that say by their name what they are, whatever system they come from. */
export const COMMON_COLUMNS: ColumnTable = {
  email: 'email',
  emailaddress: 'email',
  phone: 'phone',
  phonenumber: 'phone',
  referredby: 'referredBy',
  referralcode: 'referralCode',
  joinedat: 'joinedAt',
  createdat: 'joinedAt',
  position: 'position',
  metadata: 'metadata',
};

/** The columns of our own exports: the fields of an entry, as the API shows it. */
export const EXPORT_COLUMNS = [
  'id',
  'email',
  'phone',
  'metadata',
  'status',
  'position',
  'referrals',
  'referralCode',
  'referredBy',
  'createdAt',
  'invitedAt',
  'joinedAt',
] as const;

/** In it, `joinedAt` is when an invite was accepted; the queue was joined at `createdAt`. */
export const OWN_COLUMNS: ColumnTable = {
  id: '-',
  email: 'email',
  phone: 'phone',
  metadata: 'metadata',
  status: 'status',
  position: '-',
  referrals: '-',
  referralcode: 'referralCode',
  referredby: 'referredBy',
  createdat: 'joinedAt',
  invitedat: 'invitedAt',
  joinedat: 'acceptedAt',
};

/** What a column is in the exports of other services; the rest becomes metadata. */
export const PRESETS: Readonly<Record<string, ColumnTable>> = {
  /** The fields of a Signup: https://getwaitlist.com/docs/api-docs/schemas */
  getwaitlist: {
    email: 'email',
    phone: 'phone',
    createdat: 'joinedAt',
    referraltoken: 'referralCode',
    referredbysignuptoken: 'referredBy',
    // Follow from the order and the referrals.
    priority: '-',
    amountreferred: '-',
    referrallink: '-',
  },
  /** The fields of a subscriber: https://waitlister.me/docs/api/endpoints/subscribers/list-subscribers */
  waitlister: {
    email: 'email',
    phone: 'phone',
    joinedat: 'joinedAt',
    referralcode: 'referralCode',
    referredby: 'referredBy',
    position: '-',
    referralcount: '-',
  },
  /**
   * The columns of its CSV files: https://help.prefinery.com/article/122-import-users-onto-the-waiting-list
   * and the names of a user's fields: https://www.prefinery.com/api/docs/js
   */
  prefinery: {
    email: 'email',
    telephone: 'phone',
    appliedat: 'joinedAt',
    referredby: 'referredBy',
  },
};
