/** The introduction of the API reference, as OpenAPI Markdown. */
export const ABOUT = `Add people to a waitlist, read the queue with live positions, and let people in with single-use invite codes.

## Conventions

Requests and responses are JSON, encoded as UTF-8. Send \`Content-Type: application/json\` with every request that has a body.
Timestamps are ISO 8601 in UTC, with milliseconds. A signup with an unknown field is rejected, so a typo never loses data. Responses
can gain new fields at any time, so ignore fields you do not know.

Every response has an \`X-Request-Id\` header. To use your own id, send it in the same header: up to 128 letters, digits and
\`._:/+=-\`.

## Authentication

Signups and entry reads require a server key, sent as \`Authorization: Bearer <key>\`. Keep it on your backend; never put it in
browser code.

| Key | Access |
|---|---|
| Waitlist key | Writes to one waitlist. Reads it too, if the key has the \`waitlist:read\` grant. |
| Product key | Reads and writes every waitlist. |

Each key belongs to one environment: \`dl_live_…\` keys to production, \`dl_test_…\` keys to any other. The same waitlist has a
separate queue in each environment. Checking and accepting invites and verifying webhooks require no key, and you can call the two
invite endpoints from a browser, from any origin.

## Errors

Every error has a \`code\` for your program and a \`message\` that tells you which field is wrong and why. Each operation lists the
errors it can return. In addition, any request can return these:

| Status | Code | When |
|---|---|---|
| 404 | \`not_found\` | The path does not exist. |
| 405 | \`method_not_allowed\` | The path does not support this method. \`Allow\` lists the methods it supports. |
| 408 | \`invalid_request\` | The request took too long to arrive. |
| 431 | \`invalid_request\` | The headers are larger than 16 KiB. |

## Retries

You can retry a signup after any failure: people who are already on the waitlist are skipped. To retry accepting an invite, send the
same \`Idempotency-Key\`. After a 429 or 503, wait for the number of seconds in \`Retry-After\`.

## Rate limits

Requests are limited per client address and minute. \`RateLimit\` and \`RateLimit-Policy\` tell you how many are left. These are the
defaults; the operator can change them or turn them off.

| Requests | Limit per minute |
|---|---|
| Invite checks | 600 |
| Invite accepts | 300 |
| Webhook verifications | 600 |
| Requests with an invalid server key | 60 |`;
