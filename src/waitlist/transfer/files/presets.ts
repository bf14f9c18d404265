/**
 * What an imported column can be. `metadata.` plus a name makes it a metadata key, `-` skips it. `invitedAt` and
 * `acceptedAt` come from our own exports.
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

/** Column names, as `plainName` writes them: only letters and digits, in lower case. */
export type ColumnTable = Readonly<Record<string, Target>>;

/** What our files of bad rows begin with. */
export const BAD_ROW_COLUMNS = ['Doorlist line', 'Doorlist reason'] as const;
const BAD_ROW_TABLE: ColumnTable = { doorlistline: '-', doorlistreason: '-' };
/** The other column of such a file if the rows are JSON. */
export const JSON_ROW_COLUMN = 'row';

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
  ...BAD_ROW_TABLE,
};

/**
 * Names that probably mean this. The first one that a file has is taken, if the field has no column yet. Not
 * "referrer", which is as often a website.
 */
export const GUESSED_COLUMNS: ColumnTable = {
  mail: 'email',
  emailid: 'email',
  useremail: 'email',
  contactemail: 'email',
  subscriberemail: 'email',
  customeremail: 'email',
  mailaddress: 'email',
  mobile: 'phone',
  mobilenumber: 'phone',
  mobilephone: 'phone',
  telephone: 'phone',
  telephonenumber: 'phone',
  cellphone: 'phone',
  signedup: 'joinedAt',
  signedupat: 'joinedAt',
  signedupon: 'joinedAt',
  signupdate: 'joinedAt',
  signuptime: 'joinedAt',
  signedupdate: 'joinedAt',
  dateofsignup: 'joinedAt',
  joined: 'joinedAt',
  joinedon: 'joinedAt',
  joindate: 'joinedAt',
  joineddate: 'joinedAt',
  datejoined: 'joinedAt',
  created: 'joinedAt',
  createdon: 'joinedAt',
  createddate: 'joinedAt',
  createdtime: 'joinedAt',
  datecreated: 'joinedAt',
  creationdate: 'joinedAt',
  registered: 'joinedAt',
  registeredat: 'joinedAt',
  registrationdate: 'joinedAt',
  dateregistered: 'joinedAt',
  subscribedat: 'joinedAt',
  subscribedon: 'joinedAt',
  subscribedate: 'joinedAt',
  subscriptiondate: 'joinedAt',
  optintime: 'joinedAt',
  optindate: 'joinedAt',
  added: 'joinedAt',
  addedat: 'joinedAt',
  addedon: 'joinedAt',
  dateadded: 'joinedAt',
  submittedat: 'joinedAt',
  submissiondate: 'joinedAt',
  timestamp: 'joinedAt',
  referredbycode: 'referredBy',
  referredbyreferralcode: 'referredBy',
  referredbytoken: 'referredBy',
  referredbyemail: 'referredBy',
  referredbyuser: 'referredBy',
  referrercode: 'referredBy',
  referrerreferralcode: 'referredBy',
  referrertoken: 'referredBy',
  referreremail: 'referredBy',
  invitedby: 'referredBy',
  invitedbycode: 'referredBy',
  invitedbyemail: 'referredBy',
  refcode: 'referralCode',
  referralid: 'referralCode',
  referraltoken: 'referralCode',
  myreferralcode: 'referralCode',
  ownreferralcode: 'referralCode',
  userreferralcode: 'referralCode',
  uniquereferralcode: 'referralCode',
  sharecode: 'referralCode',
  queueposition: 'position',
  waitlistposition: 'position',
  locale: 'language',
  preferredlanguage: 'language',
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
  ...BAD_ROW_TABLE,
};

interface Preset {
  /** As its makers write it. */
  name: string;
  columns: ColumnTable;
  /** A file that has all columns of one of these is probably from there. */
  signs: readonly (readonly string[])[];
}

/**
 * The columns in exports from other services. Other columns become metadata. If two columns are one field, the
 * first that is not empty counts.
 */
export const PRESETS: Readonly<Record<string, Preset>> = {
  /** The fields of a Signup: https://getwaitlist.com/docs/api-docs/schemas */
  getwaitlist: {
    name: 'GetWaitlist',
    columns: {
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
    signs: [['referredbysignuptoken'], ['referraltoken', 'amountreferred']],
  },
  /** The fields of a subscriber: https://waitlister.me/docs/api/endpoints/subscribers/list-subscribers */
  waitlister: {
    name: 'Waitlister',
    columns: {
      email: 'email',
      phone: 'phone',
      joinedat: 'joinedAt',
      referralcode: 'referralCode',
      referredby: 'referredBy',
      position: '-',
      referralcount: '-',
    },
    signs: [
      ['referralcode', 'referralcount', 'points'],
      ['referralcode', 'joinedwith'],
    ],
  },
  /** The fields of its webhook: https://getlaunchlist.com/help/docs/plugins/webhook */
  launchlist: {
    name: 'LaunchList',
    columns: {
      email: 'email',
      referralcode: 'referralCode',
      referredby: 'referredBy',
      createdat: 'joinedAt',
      position: '-',
      usersreferred: '-',
      event: '-',
      waitlistname: '-',
      waitlistkey: '-',
    },
    signs: [
      ['referralcode', 'usersreferred'],
      ['waitlistkey', 'referralcode'],
    ],
  },
  /**
   * The columns of its CSV files (https://help.prefinery.com/article/122-import-users-onto-the-waiting-list)
   * and the field names of a user (https://www.prefinery.com/api/docs/js).
   */
  prefinery: {
    name: 'Prefinery',
    columns: {
      email: 'email',
      telephone: 'phone',
      appliedat: 'joinedAt',
      referredby: 'referredBy',
    },
    signs: [['appliedat', 'status']],
  },
  /** The columns of the CSV files in an exported audience. */
  mailchimp: {
    name: 'Mailchimp',
    columns: {
      emailaddress: 'email',
      phonenumber: 'phone',
      optintime: 'joinedAt',
      confirmtime: 'joinedAt',
      optinip: '-',
      confirmip: '-',
      leid: '-',
      euid: '-',
    },
    signs: [
      ['optintime', 'confirmtime'],
      ['memberrating', 'leid'],
    ],
  },
  /** The fields of a subscriber: https://developers.kit.com/api-reference/subscribers/list-subscribers */
  kit: {
    name: 'Kit',
    columns: {
      email: 'email',
      emailaddress: 'email',
      createdat: 'joinedAt',
    },
    signs: [
      ['firstname', 'emailaddress', 'state', 'createdat'],
      ['firstname', 'email', 'status', 'createdat'],
    ],
  },
};
