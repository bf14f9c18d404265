import { formatsOf } from './formats.ts';
import type { Texts } from './texts.ts';

const formats = formatsOf('en-GB');
const { count } = formats;

export const en: Texts = {
  tag: 'en',
  dir: 'ltr',
  formats,
  stop: '. ',

  join: {
    title: (waitlist) => `Your invite to ${waitlist}`,
    inviteFor: (email) => `This invite is for ${email}. It works once.`,
    inviteForUntil: (email, expires) =>
      `This invite is for ${email} and expires on ${expires}. It works once.`,
    enterEmail: (waitlist) => `Enter your email to get into ${waitlist}.`,
    enterEmailUntil: (waitlist, expires) =>
      `Enter your email to get into ${waitlist}. This invite expires on ${expires}.`,
    codeUsedUp: { title: 'This code is used up', text: 'It has been used as often as it can be.' },
    forJoining: (waitlist) => ({
      title: 'A code for the waitlist',
      text: `This code puts you further ahead in line. Enter it when you join the ${waitlist} waitlist.`,
    }),
    accept: 'Accept invite',
    acceptedTitle: 'You’re in',
    accepted: (waitlist, email) => `You accepted the invite to ${waitlist} for ${email}. Welcome!`,
    continueTo: (waitlist) => `Continue to ${waitlist}`,
    notFound: {
      title: 'Invite not found',
      text: 'This link is incomplete. Copy it again from your email.',
    },
    expired: { title: 'This invite has expired', text: 'It can no longer be accepted.' },
    revoked: { title: 'This invite was revoked', text: 'It can no longer be accepted.' },
    alreadyAcceptedTitle: 'Already accepted',
    alreadyAccepted: (waitlist) => `The invite to ${waitlist} has already been accepted.`,
    askSender: (waitlist, email) => `Don’t know how to get to ${waitlist}? Write to ${email}.`,
    askHost: (waitlist) => `Don’t know how to get to ${waitlist}? Ask whoever invited you.`,
  },

  confirm: {
    title: 'Confirm your email',
    ask: (waitlist) => `Confirm your email to join the ${waitlist} waitlist.`,
    button: 'Confirm',
    confirmedTitle: 'Your email is confirmed',
    confirmed: (waitlist) => `You are on the ${waitlist} waitlist. You can close this page.`,
    expired: { title: 'This link has expired', text: 'Links work for 7 days. We can send you a new one.' },
    renew: 'Send me a new link',
    renewed: { title: 'Check your inbox', text: 'A new link is on its way. We send at most one a day.' },
    unknown: {
      title: 'This link does not work',
      text: 'It is incomplete, or the address was removed from the waitlist. Copy the link again from your email.',
    },
  },

  leave: {
    title: (waitlist) => `Emails from ${waitlist}`,
    unsubscribeText:
      'Unsubscribe from these emails and keep your place on the waitlist. We will still email you when you are invited.',
    unsubscribe: 'Unsubscribe',
    leaveText:
      'Or leave the waitlist. This erases your place, your invites and all your data on this waitlist. It cannot be undone.',
    leave: 'Leave and erase my data',
    unsubscribedTitle: 'You are unsubscribed',
    unsubscribed: (waitlist) => `You will no longer get these emails from ${waitlist}.`,
    leftTitle: 'You have left the waitlist',
    left: (waitlist) => `Your place on the ${waitlist} waitlist and all your data were erased.`,
    unknown: {
      title: 'This link does not work',
      text: 'The link is incomplete, or this address has already left the waitlist.',
    },
  },

  errors: {
    title: 'Something went wrong',
    other: 'Please try again.',
    rateLimited: 'Too many requests. Wait a minute, then try again.',
    unavailable: 'We are not available right now. Please try again in a moment.',
    notEmailed: 'We can’t email you right now. Please try again later.',
    notFound: { title: 'Page not found', text: 'Check the address, or copy the link again.' },
  },

  form: {
    title: (waitlist) => `Join the ${waitlist} waitlist`,
    intro: 'Leave your email and we’ll let you know when it’s your turn.',
    email: 'Email',
    code: 'Code',
    emailExample: 'you@example.com',
    button: 'Join the waitlist',
    sending: 'Joining…',
    optional: 'optional',
    choose: 'Choose an option',
    leaveEmpty: 'Leave this field empty',
    useInstead: (email) => `Use ${email}`,
    confirmByEmail: 'We’ll send you an email to confirm.',
    needsScripts: 'Turn on JavaScript to join.',
    closed: { title: 'This waitlist is closed', text: 'New signups are no longer accepted.' },
    refused: { title: 'We couldn’t add you', text: 'Reload the page and try again.' },
    wrongSite: 'The site you came from cannot use this form. You can join here instead.',
    problems: {
      summary: count({ one: 'Check the marked field.', other: 'Check the # marked fields.' }),
      emailRequired: 'Enter your email.',
      emailInvalid: 'Enter a valid email address.',
      emailRole: 'Enter a personal address. Shared ones, such as info@, cannot join.',
      emailTypo: (email) => `Did you mean ${email}?`,
      required: 'This field is required.',
      choiceInvalid: 'Choose one of the options.',
      tooLong: count({ one: 'Use at most # character.', other: 'Use at most # characters.' }),
      consentRequired: 'Check this box to continue.',
      captchaRequired: 'Confirm that you’re not a robot.',
    },
  },

  joined: {
    title: 'You’re on the list',
    text: (waitlist) =>
      `Thank you for joining the ${waitlist} waitlist. We’ll email you when it’s your turn.`,
    checkInboxTitle: 'Check your inbox',
    checkInbox: (waitlist) => `Open the link in our email to confirm your place on the ${waitlist} waitlist.`,
    seeStatus: 'See your place in line',
    code: {
      counts: count({
        one: 'With your code, you count as joining # place earlier.',
        other: 'With your code, you count as joining # places earlier.',
      }),
      unusable: 'Your code does not count. It is misspelled, has expired, or is used up.',
    },
  },

  status: {
    title: (waitlist) => `Your place on the ${waitlist} waitlist`,
    positionLabel: 'Your position',
    position: (position) => `You are number ${formats.number(position)} in line.`,
    joinedAs: (place) => `You were number ${formats.number(place)} to join.`,
    countsEarlier: count({
      one: 'Your referrals count as joining # place earlier.',
      other: 'Your referrals count as joining # places earlier.',
    }),
    codeCounts: (places, code) =>
      `With the code ${code}, you count as joining ${formats.number(places)} ${places === 1 ? 'place' : 'places'} earlier.`,
    movedByTeam: 'The team moved you in line.',
    referrals: count({
      zero: 'No one has joined with your link yet.',
      one: '# person joined with your link.',
      other: '# people joined with your link.',
    }),
    pending: {
      title: 'Confirm your email',
      text: 'Open the link in our email to get your place in line.',
    },
    resend: 'Send the email again',
    resent: 'The email is on its way. Check your spam folder, too. We send at most one a day.',
    invited: { title: 'It’s your turn', text: 'You’re invited.' },
    inviteSent: 'We sent you an invite. Check your inbox.',
    joined: { title: 'You’re in', text: 'You accepted your invite.' },
    removed: { title: 'You’re not on the list', text: 'This address is no longer on the waitlist.' },
    unknown: {
      title: 'This link does not work',
      text: 'The link is incomplete, or this address has left the waitlist.',
    },
    leave: 'Unsubscribe or leave the waitlist',
  },

  ownData: {
    download: 'Download my data',
    delete: 'Delete my data',
    sent: 'If we can email this address, a link is on its way. It works for one hour. Check your spam folder, too. We send at most three emails a day.',
    downloadTitle: 'Download your data',
    downloadText: (waitlist) =>
      `The file has everything that is stored about you on the ${waitlist} waitlist.`,
    deleteTitle: 'Delete your data',
    deleteText: (waitlist) =>
      `This erases your place, your invites and all your data on the ${waitlist} waitlist. It cannot be undone.`,
    expired: { title: 'This link has expired', text: 'Links to your data work for one hour.' },
    askAgain: 'Ask for a new link',
  },

  share: {
    title: 'Want to get in sooner?',
    titleUnmoved: 'Spread the word',
    movesUp: count({
      one: 'Share your link. For everyone who joins with it, you count as having joined #\u00a0place earlier.',
      other:
        'Share your link. For everyone who joins with it, you count as having joined #\u00a0places earlier.',
    }),
    text: 'Share your link with friends.',
    linkLabel: 'Your link',
    copy: 'Copy link',
    copied: 'Copied',
    share: 'Share',
    on: (network) => `Share on ${network}`,
    byEmail: 'Share by email',
    email: 'Email',
    post: (waitlist) => `I just joined the ${waitlist} waitlist. Come join me:`,
    emailSubject: (waitlist) => `Join me on the ${waitlist} waitlist`,
    description: (waitlist) => `Join the ${waitlist} waitlist to get your place in line.`,
  },

  mail: {
    templates: {
      confirm: {
        subject: 'Confirm your place on the {{ waitlist }} waitlist',
        body: `# Confirm your email

Someone, hopefully you, added this address to the **{{ waitlist }}** waitlist. Confirm your email to join.

[Confirm my email]({{ confirmLink }})

The link works for 7 days. If this wasn’t you, ignore this email. You won’t be added to the waitlist.
`,
      },
      welcome: {
        subject: 'You are on the {{ waitlist }} waitlist',
        body: `# You’re on the list

Thank you for joining the **{{ waitlist }}** waitlist.{% if position %} You are **number {{ position | number }}** in line.{% endif %} We’ll email you when it’s your turn.

[See your place in line]({{ statusLink }})
{% if referralLink %}
{% if boost == 0 or position == 1 %}## Spread the word

Share your link with friends.{% else %}## Want to get in sooner?

Share your link. For everyone who joins with it, you count as having joined earlier.{% endif %}

{{ referralLink }}
{% endif %}`,
      },
      'moved-up': {
        subject: 'You moved up on the {{ waitlist }} waitlist',
        body: `# You moved up

Someone joined the **{{ waitlist }}** waitlist because of you. You are now **number {{ position | number }}** in line, with {{ referrals | number }} {% if referrals == 1 %}referral{% else %}referrals{% endif %}.
{% if referralLink %}
[Share your link again]({{ statusLink }})
{% endif %}`,
      },
      invite: {
        subject: 'Your invite to {{ waitlist }}',
        body: `# It’s your turn

Your place in **{{ waitlist }}** is ready.

[Accept your invite]({{ joinLink }})

If you are asked for a code, use this one:

\`{{ inviteCode }}\`
{% if expiresAt %}
This invite is only for you and expires on {{ expiresAt }}.
{% else %}
This invite is only for you and works once.
{% endif %}`,
      },
      'invite-reminder': {
        subject: 'Your invite to {{ waitlist }} expires soon',
        body: `# Your invite expires soon

Your invite to **{{ waitlist }}** expires on {{ expiresAt }}. After that, its link no longer works.

[Accept your invite]({{ joinLink }})

If you are asked for a code, use this one:

\`{{ inviteCode }}\`
`,
      },
      accepted: {
        subject: 'Welcome to {{ waitlist }}',
        body: `# You’re in

You accepted your invite to **{{ waitlist }}**. We’re glad to have you.

If this wasn’t you, please reply to this email.
`,
      },
      declined: {
        subject: 'About your place on the {{ waitlist }} waitlist',
        body: `# We can’t offer you a place

Thank you for your interest in **{{ waitlist }}**. We’re sorry, but we can’t offer you a place right now. If that changes, we’ll email you.

Questions? Just reply to this email.
`,
      },
      'data-download': {
        subject: 'Download your data from the {{ waitlist }} waitlist',
        body: `# Download your data

Someone, hopefully you, asked for what is stored about you on the **{{ waitlist }}** waitlist.

[Download my data]({{ downloadLink }})

The link works for one hour. If this wasn’t you, ignore this email. No one else gets your data.
`,
      },
      'data-deletion': {
        subject: 'Delete your data from the {{ waitlist }} waitlist',
        body: `# Delete your data

Someone, hopefully you, asked to delete your place and all your data on the **{{ waitlist }}** waitlist. Nothing is deleted until you confirm it.

[Delete my data]({{ deletionLink }})

The link works for one hour. If this wasn’t you, ignore this email. Your place stays as it is.
`,
      },
    },
    reasons: {
      added: (waitlist) =>
        `You received this email because this address was added to the ${waitlist} waitlist.`,
      onList: (waitlist) => `You received this email because this address is on the ${waitlist} waitlist.`,
      invited: (waitlist) => `You received this email because you were invited to ${waitlist}.`,
      accepted: (waitlist) => `You received this email because you accepted an invite to ${waitlist}.`,
    },
    leave: 'Unsubscribe or leave the waitlist',
    seeStatus: 'See your place in line',
  },
};
