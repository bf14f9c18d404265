/**
 * What an imported column can be. `metadata.` plus a name makes it a metadata key, `-` skips it. `status`,
 * `invitedAt` and `acceptedAt` come from our own exports.
 */
export type Target =
  | 'email'
  | 'phone'
  | 'referredBy'
  | 'referralCode'
  | 'joinedAt'
  | 'position'
  | 'metadata'
  | 'language'
  | 'status'
  | 'invitedAt'
  | 'acceptedAt'
  | '-'
  | `metadata.${string}`;

/** Column names, ignoring case, spaces, underscores and hyphens. */
export type ColumnTable = Readonly<Record<string, Target>>;

/** Common column names, whatever system they come from. */
export const COMMON_COLUMNS: ColumnTable = {
  email: 'email',
  emailaddress: 'email',
  phone: 'phone',
  phonenumber: 'phone',
  referredby: 'referredBy',
  referralcode: 'referralCode',
  joinedat: 'joinedAt',
  createdat: 'joinedAt',
  appliedat: 'joinedAt',
  position: 'position',
  metadata: 'metadata',
  language: 'language',
};

/** The columns of our own exports: the fields of an entry, as in the API, and its language. */
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
  'language',
] as const;

/** In our exports, `joinedAt` is when an invite was accepted; the person joined the queue at `createdAt`. */
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
  language: 'language',
};

/** The columns in exports from other services. Other columns become metadata. */
export const PRESETS: Readonly<Record<string, ColumnTable>> = {
  /** The fields of a Signup: https://getwaitlist.com/docs/api-docs/schemas */
  getwaitlist: {
    email: 'email',
    phone: 'phone',
    createdat: 'joinedAt',
    referraltoken: 'referralCode',
    referredbysignuptoken: 'referredBy',
    // Derived from the order and the referrals.
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
   * The columns of its CSV files (https://help.prefinery.com/article/122-import-users-onto-the-waiting-list)
   * and the field names of a user (https://www.prefinery.com/api/docs/js).
   */
  prefinery: {
    email: 'email',
    telephone: 'phone',
    appliedat: 'joinedAt',
    referredby: 'referredBy',
  },
};
