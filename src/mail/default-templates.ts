import type { MailKind } from './kinds.ts';

export interface MailTemplate {
  subject: string;
  /** Markdown. A link that stands alone becomes a button. */
  body: string;
}

/** Nothing that a stranger typed into a form stands in them: a signup cannot be used to send words to somebody else. */
export const DEFAULT_TEMPLATES: Readonly<Record<MailKind, MailTemplate>> = {
  confirm: {
    subject: 'Confirm your place on the {{ waitlist }} waitlist',
    body: `# One click to go

Somebody, hopefully you, put this address on the **{{ waitlist }}** waitlist. Confirm it to take your place in line.

[Confirm my email]({{ confirmLink }})

The link works for 7 days. If this was not you, ignore this mail: nothing happens without your click.
`,
  },
  welcome: {
    subject: 'You are on the {{ waitlist }} waitlist',
    body: `# You're on the list

Thank you for joining the **{{ waitlist }}** waitlist.{% if position %} You are **number {{ position }}** in line.{% endif %} We will write to you when it is your turn.
{% if referralLink %}
## Want to get in sooner?

Share your own link. Everyone who joins through it moves you up.

[Share your link]({{ referralLink }})

{{ referralLink }}
{% endif %}`,
  },
  'moved-up': {
    subject: 'You moved up on the {{ waitlist }} waitlist',
    body: `# You moved up

Somebody joined the **{{ waitlist }}** waitlist because of you. You are now **number {{ position }}** in line, with {{ referrals }} {% if referrals == 1 %}referral{% else %}referrals{% endif %} to your name.
{% if referralLink %}
[Share your link again]({{ referralLink }})
{% endif %}`,
  },
  invite: {
    subject: 'Your invite to {{ waitlist }}',
    body: `# It's your turn

Your place in **{{ waitlist }}** is ready.

[Accept your invite]({{ joinLink }})

Your code, should you be asked for it:

\`{{ inviteCode }}\`
{% if expiresAt %}
The invite is for you alone and ends on {{ expiresAt }}.
{% else %}
The invite is for you alone and works once.
{% endif %}`,
  },
  'invite-reminder': {
    subject: 'Last call: your invite to {{ waitlist }} is about to end',
    body: `# Last call

Your invite to **{{ waitlist }}** is still waiting for you, until {{ expiresAt }}. After that your place goes to the next in line.

[Accept your invite]({{ joinLink }})

Your code, should you be asked for it:

\`{{ inviteCode }}\`
`,
  },
  accepted: {
    subject: 'Welcome to {{ waitlist }}',
    body: `# You're in

You accepted your invite to **{{ waitlist }}**. It is good to have you.

If this was not you, answer this mail and tell us.
`,
  },
};
