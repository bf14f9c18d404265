import { COMMAND } from '../../lib/root.ts';
import type { Api } from '../plugins/openapi.ts';

const ABOUT = `Everything an operator does, over HTTP: waitlists and their keys, the people on them, invites, emails, webhooks, forms,
statistics, and the accounts of the people who run the installation. The dashboard uses this API, too. To sign people up from your own
backend, use the public API at \`/docs\`.

## Authentication

Scripts send an admin token as \`Authorization: Bearer dla_…\`. Create one with
\`${COMMAND} admin-token create --name NAME --role ROLE\`. Browsers sign in and
send the session cookie; their requests that change something must come from the same origin.

| Role | Access |
|---|---|
| \`owner\` | Everything. |
| \`admin\` | Everything except managing owners and deleting waitlists. |
| \`support\` | Sees people and invites them. No keys, no secrets, no exports. |
| \`viewer\` | Reads without personal data: emails and phone numbers are masked. Finds people by id only. |

Each operation names the lowest role that can use it.

## Environments

Every waitlist exists once in each environment, such as \`production\` and \`development\`. Operations below a waitlist take the query parameter
\`environment\`. The default is \`production\`.

## Pages

Lists that can grow take \`limit\` (1 to 200, 50 by default) and return \`nextCursor\`. Pass it as \`cursor\`, with the same filters, to get the next
page. On the last page it is \`null\`.

## Long work

Inviting many people, importing, exporting and applying a new boost run in the background. The answer is 202 with a job. Read its progress with
\`GET /admin/v1/jobs/{jobId}\`, or watch the stream. Jobs continue after a restart.

## Send again

Requests that create, invite or send take an \`Idempotency-Key\`: a value that you choose, such as a UUID. Sent again with the same key and content
within a day, they do nothing again and get the first answer, with the header \`Idempotent-Replayed: true\`. So if an answer is lost, send the request again. Other
content with the same key is refused with 409 \`conflict\`. A request that was refused, or that only asked (\`dryRun\`), is not remembered. The key counts for one
operator or token, and one operation. After a person on the waitlist is erased, earlier answers about that environment of it are gone: sent again, such requests get 409.

## Change what others change

Settings, plans and templates have an \`ETag\`. Send it as \`If-Match\` with a change: if somebody else has changed them since, the answer is 412
\`changed_meanwhile\`, and nothing was changed. Counters and states that change by themselves are not part of it. Without \`If-Match\`, fields that you leave out stay
as they are, and the last change of a field counts.

## Audit trail

Every change is recorded with who made it, from where, and the values before and after. Reading people unmasked is recorded
once an hour for each reader and waitlist. \`GET /admin/v1/audit\` lists the records.

## Errors

Every error has a \`code\` for your program and a \`message\` for people, which names the field. Unknown fields are refused, so that a typo does not
go unnoticed. In addition to the errors that each operation lists, any request can return 404 \`not_found\`, 405 \`method_not_allowed\`, 408 and
431 \`invalid_request\`.`;

/** The introduction of the admin API's OpenAPI document. The tags are in the order of the reference. */
export const ADMIN_API: Api = {
  path: '/admin/openapi.json',
  title: 'Doorlist Admin API',
  summary: 'Everything an operator does, over HTTP.',
  description: ABOUT,
  tags: [
    { name: 'Waitlists', description: 'Create waitlists, change their settings, close and delete them.' },
    { name: 'Entries', description: 'The people on a waitlist: find, change, move and remove them.' },
    { name: 'Segments', description: 'Filters of the queue with a name, for the whole team.' },
    { name: 'Invites', description: 'Invite one person, the first in line or a segment, and follow up.' },
    { name: 'Codes', description: 'Codes that several people can use, up to a limit.' },
    { name: 'Waves', description: 'Plans of invites: when, how many, and for whom.' },
    { name: 'Server keys', description: 'Keys for your backend: of one waitlist, or product keys for all.' },
    { name: 'Gate keys', description: 'Keys for the sign-up of your product: only invited people get in.' },
    {
      name: 'Mail event keys',
      description: 'Keys with which your mail provider reports bounces and complaints.',
    },
    {
      name: 'Webhook endpoints',
      description: 'Where events are sent, with secrets, deliveries and replays.',
    },
    { name: 'Emails', description: 'Settings, templates, the mailbox and suppressed addresses.' },
    {
      name: 'Form',
      description: 'The public form of a waitlist, what it turned away, and referrals to review.',
    },
    { name: 'Statistics', description: 'Signups, referrals, invites and deliveries over time.' },
    { name: 'Import and export', description: 'People in and out, as files.' },
    { name: 'Jobs', description: 'Long work: its progress, its result, and how to cancel it.' },
    { name: 'Stream', description: 'Counters, jobs and deliveries as they change.' },
    { name: 'Environments', description: 'Partitions of every waitlist, such as `production`.' },
    { name: 'Instance', description: 'This installation, its settings and its health.' },
    { name: 'Operators', description: 'People who can sign in, and their roles.' },
    { name: 'Admin tokens', description: 'Access for scripts and tools.' },
    { name: 'Audit trail', description: 'Who did what, when and from where.' },
    { name: 'Sign-in', description: 'Set up the installation, sign in and out, and reset a password.' },
    { name: 'Your account', description: 'Your own sessions and password.' },
    { name: 'Two-factor authentication', description: 'A code from an app in addition to the password.' },
    { name: 'Passkeys', description: 'Sign in with a device instead of a password.' },
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
