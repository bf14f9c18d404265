import type { Api } from '../plugins/openapi.ts';

const ABOUT = `Manage an installation: operators, tokens and the audit trail.

## Authentication

Send an admin token as \`Authorization: Bearer dla_…\`, or sign in and send the session cookie. Create a token with
\`npm run -s doorlist -- admin-token create --name NAME\`.

| Role | Access |
|---|---|
| \`owner\` | Everything. |
| \`admin\` | Everything except managing owners. |
| \`support\` | Sees people and invites them. No keys, no secrets, no exports. |
| \`viewer\` | Reads without personal data. |

Each operation names the role it requires. Requests from a browser that change something must come from the same origin.

## Errors

Every error has a \`code\` for your program and a \`message\` for people. In addition to the errors that each operation lists, any
request can return 404 \`not_found\`, 405 \`method_not_allowed\`, 408 and 431 \`invalid_request\`.`;

/** The introduction of the admin API's OpenAPI document. */
export const ADMIN_API: Api = {
  path: '/admin/openapi.json',
  title: 'Doorlist Admin API',
  summary: 'Operators, tokens and the audit trail.',
  description: ABOUT,
  tags: [
    { name: 'Sign-in', description: 'Set up the installation, sign in and out.' },
    { name: 'Your account', description: 'Your own sessions and password.' },
    { name: 'Two-factor authentication', description: 'A code from an app beside the password.' },
    { name: 'Passkeys', description: 'Sign in with a device instead of a password.' },
    { name: 'Operators', description: 'People who can sign in.' },
    { name: 'Admin tokens', description: 'Access for scripts and tools.' },
    { name: 'Form', description: 'The public form of a waitlist, and referrals to review.' },
    { name: 'Audit trail', description: 'Who did what.' },
    { name: 'Entries', description: 'The people on a waitlist.' },
    { name: 'Invites', description: 'Invite people, one or many.' },
    { name: 'Jobs', description: 'Long work, its progress and its result.' },
    { name: 'Webhook endpoints', description: 'Endpoints, their secrets and deliveries.' },
    { name: 'Import and export', description: 'People in and out, as files.' },
    { name: 'Emails', description: 'Settings, templates, the mailbox and suppressed addresses.' },
    { name: 'Statistics', description: 'Signups, referrals, invites and deliveries over time.' },
    { name: 'Stream', description: 'Changes as they happen.' },
    { name: 'Instance', description: 'This installation and its state.' },
    { name: 'Environments', description: 'Partitions of every waitlist, such as `production`.' },
    { name: 'Waitlists', description: 'Create waitlists and change their settings.' },
    {
      name: 'Server keys',
      description: 'Keys for your backend: of one waitlist, or product keys for all of them.',
    },
  ],
  securitySchemes: {
    adminToken: { type: 'http', scheme: 'bearer', description: 'An admin token: `dla_…`.' },
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: '__Host-doorlist',
      description: 'The session cookie; named `doorlist` when the public address is not https.',
    },
  },
  webhooks: {},
};
