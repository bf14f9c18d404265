import type { Notice } from '../../operators/notices.ts';
import type { MailTemplate } from '../default-templates.ts';

const NOT_YOU = `If this wasn't you, set a new password at once and tell an owner of this installation.

[Open Doorlist]({{ signInLink }})`;
const WHERE = `{% if address %} It came from the address {{ address }}.{% endif %}`;

export const OPERATOR_TEMPLATES: Readonly<Record<Notice['kind'], MailTemplate>> = {
  invitation: {
    subject: 'Your invitation to Doorlist on {{ host }}',
    body: `# You're invited

{% if by %}{{ by }} invited you{% else %}You are invited{% endif %} to help run the waitlists on **{{ host }}**. Choose a password to get started.

[Accept the invitation]({{ link }})

The link works once, until {{ expiresAt }}. If you weren't expecting this, ignore this email.
`,
  },
  reset: {
    subject: 'Reset your password for {{ host }}',
    body: `# Reset your password

{% if by %}{{ by }} created a link for you{% else %}Someone, hopefully you, asked for a link{% endif %} to set a new password on **{{ host }}**.

[Choose a new password]({{ link }})

The link works once, until {{ expiresAt }}. If this wasn't you, ignore this email. Your password stays as it is.
`,
  },
  'password-changed': {
    subject: 'Your password for {{ host }} was changed',
    body: `# Your password was changed

The password of your account on **{{ host }}** was changed on {{ at }}.${WHERE} Other browsers were signed out.

${NOT_YOU}
`,
  },
  'two-factor-off': {
    subject: 'Two-factor authentication for {{ host }} is off',
    body: `# Two-factor authentication is off

Two-factor authentication of your account on **{{ host }}** was turned off on {{ at }}.${WHERE} Signing in now takes only your password.

${NOT_YOU}
`,
  },
  'passkey-added': {
    subject: 'New passkey for {{ host }}',
    body: `# A passkey was added

A passkey was added to your account on **{{ host }}** on {{ at }}.${WHERE} Whoever has it can sign in without your password.

${NOT_YOU}
`,
  },
  'new-sign-in': {
    subject: 'New sign-in to {{ host }}',
    body: `# New sign-in

Your account on **{{ host }}** was used in a browser that has not signed in before.

- When: {{ at }}
- Browser: {{ browser }}
- Address: {{ address }}

If this was you, there is nothing to do. ${NOT_YOU}
`,
  },
};
