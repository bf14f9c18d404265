import type { HealthChange, Notice } from '../../operators/context.ts';
import type { MailTemplate } from '../templates/settings.ts';

const NOT_YOU = `If this wasn't you, set a new password at once and tell an owner of this installation.

[Open Doorlist]({{ signInLink }})`;
const WHERE = `{% if address %} It came from the address {{ address }}.{% endif %}`;

const TEMPLATES: Readonly<Record<Exclude<Notice['kind'], 'health'>, MailTemplate>> = {
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
  'email-changed': {
    subject: 'Your email for {{ host }} was changed',
    body: `# Your email was changed

Your account on **{{ host }}** got another email address on {{ at }}.${WHERE} This address no longer works for signing in.

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

export function operatorTemplate(notice: Notice): MailTemplate {
  return notice.kind === 'health' ? healthTemplate(notice) : TEMPLATES[notice.kind];
}

export const OPERATOR_MAIL_KINDS: readonly Notice['kind'][] = [
  ...(Object.keys(TEMPLATES) as (keyof typeof TEMPLATES)[]),
  'health',
];

/** As many lines as there are checks: templates have no loops. */
function healthTemplate({ failing, recovered }: HealthChange): MailTemplate {
  const lines = (list: string, of: readonly unknown[]) =>
    of.map((_, index) => `- **{{ ${list}[${index}].check }}** {{ ${list}[${index}].detail }}\n`).join('');
  const open = '[Open Health]({{ healthLink }})\n';
  if (failing.length + recovered.length === 0)
    return {
      subject: 'Test alert of Doorlist on {{ host }}',
      body: `# This is a test\n\nAlerts about the health of Doorlist on **{{ host }}** reach you.\n\n${open}`,
    };
  const parts = [
    failing.length > 0 ? `What does not work now:\n\n${lines('failing', failing)}` : '',
    recovered.length > 0 ? `Well again:\n\n${lines('recovered', recovered)}` : '',
  ];
  const title = failing.length > 0 ? 'needs attention' : 'is well again';
  return {
    subject: `Doorlist on {{ host }} ${title}`,
    body: `# Doorlist ${title}\n\n${parts.filter(Boolean).join('\n')}\n${open}`,
  };
}
