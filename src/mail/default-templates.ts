import type { MailKind } from './kinds.ts';

export interface MailTemplate {
  subject: string;
  /** Markdown. A link on its own line becomes a button. */
  body: string;
}

/**
 * These contain nothing that a stranger typed into a form, so that signups cannot be used to send text to
 * others.
 */
export const DEFAULT_TEMPLATES: Readonly<Record<MailKind, MailTemplate>> = {
  confirm: {
    subject: 'Confirm your place on the {{ waitlist }} waitlist',
    body: `# Confirm your email

Someone, hopefully you, added this address to the **{{ waitlist }}** waitlist. Confirm your email to join.

[Confirm my email]({{ confirmLink }})

The link works for 7 days. If this wasn't you, ignore this email. You won't be added to the waitlist.
`,
  },
  welcome: {
    subject: 'You are on the {{ waitlist }} waitlist',
    body: `# You're on the list

Thank you for joining the **{{ waitlist }}** waitlist.{% if position %} You are **number {{ position }}** in line.{% endif %} We'll email you when it's your turn.
{% if referralLink %}
## Want to get in sooner?

Share your link. You move up for everyone who joins with it.

[Share your link]({{ referralLink }})

{{ referralLink }}
{% endif %}`,
  },
  'moved-up': {
    subject: 'You moved up on the {{ waitlist }} waitlist',
    body: `# You moved up

Someone joined the **{{ waitlist }}** waitlist because of you. You are now **number {{ position }}** in line, with {{ referrals }} {% if referrals == 1 %}referral{% else %}referrals{% endif %}.
{% if referralLink %}
[Share your link again]({{ referralLink }})
{% endif %}`,
  },
  invite: {
    subject: 'Your invite to {{ waitlist }}',
    body: `# It's your turn

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

Your invite to **{{ waitlist }}** expires on {{ expiresAt }}. After that, your place goes to the next person in line.

[Accept your invite]({{ joinLink }})

If you are asked for a code, use this one:

\`{{ inviteCode }}\`
`,
  },
  accepted: {
    subject: 'Welcome to {{ waitlist }}',
    body: `# You're in

You accepted your invite to **{{ waitlist }}**. We're glad to have you.

If this wasn't you, please reply to this email.
`,
  },
};
