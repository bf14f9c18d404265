import type { MailKind } from './kinds.ts';

/** A value that templates can insert. */
interface Variable {
  name: string;
  description: string;
  example: string;
}

const EVERYWHERE: readonly Variable[] = [
  { name: 'waitlist', description: 'Name of the waitlist.', example: 'Acme' },
  { name: 'email', description: 'Email of the person.', example: 'ada@example.com' },
  { name: 'referrals', description: 'Number of people they referred.', example: '3' },
  {
    name: 'boost',
    description: 'How many places earlier a referral counts as having joined. 0 if referrals move nobody up.',
    example: '5',
  },
  { name: 'referralCode', description: 'Their code to share.', example: 'k3v9x0ab' },
  {
    name: 'referralLink',
    description:
      'Their link to share: the `referralUrl` of the settings, or the hosted page. Empty if there is neither.',
    example: 'https://acme.example/?ref=k3v9x0ab',
  },
  {
    name: 'metadata',
    description: 'What they signed up with: `metadata.firstName` is the field `firstName`.',
    example: 'Ada',
  },
];

const POSITION: Variable = { name: 'position', description: 'Place in line.', example: '42' };

const STATUS_LINK: Variable = {
  name: 'statusLink',
  description: 'Their own page, with their place in line and buttons to share.',
  example: 'https://doorlist.example/s/…',
};

const OF_INVITE: readonly Variable[] = [
  {
    name: 'joinLink',
    description: 'Link that accepts the invite.',
    example: 'https://doorlist.example/join/x4k9zt6h2m8c0v5s1n7q3r9w4j6b8d2f',
  },
  { name: 'inviteCode', description: 'Invite code.', example: 'x4k9zt6h2m8c0v5s1n7q3r9w4j6b8d2f' },
  {
    name: 'expiresAt',
    description: 'When the invite expires. Empty if it does not.',
    example: '22 November 2026',
  },
];

function dataLink(name: string, description: string): Variable {
  return { name, description, example: 'https://doorlist.example/data/…' };
}

export const VARIABLES: Readonly<Record<MailKind, readonly Variable[]>> = {
  confirm: [
    ...EVERYWHERE,
    {
      name: 'confirmLink',
      description: 'Link that confirms the email.',
      example: 'https://doorlist.example/confirm/…',
    },
  ],
  welcome: [...EVERYWHERE, POSITION, STATUS_LINK],
  'moved-up': [...EVERYWHERE, POSITION, STATUS_LINK],
  invite: [...EVERYWHERE, ...OF_INVITE],
  'invite-reminder': [...EVERYWHERE, ...OF_INVITE],
  accepted: EVERYWHERE,
  declined: EVERYWHERE,
  'data-download': [...EVERYWHERE, dataLink('downloadLink', 'Link to download their data, for an hour.')],
  'data-deletion': [...EVERYWHERE, dataLink('deletionLink', 'Link to delete their data, for an hour.')],
};
