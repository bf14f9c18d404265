/** The introduction of the API reference, in the Markdown that OpenAPI descriptions are written in. */
export const ABOUT = `Capture signups, read the queue with live positions, and let people in with single-use invite codes.

## Conventions

Requests and responses are JSON in UTF-8; a request with a body says \`Content-Type: application/json\`. Times are ISO 8601
in UTC with milliseconds. A field that a request must not have is refused by its name, so that a typo loses nothing.
Responses may gain fields within a version: ignore those you do not know.

Every response carries \`X-Request-Id\`. Send your own in a request header of that name (up to 128 letters, digits and
\`._:/+=@-\`) and it is used instead of ours.

## Authentication

Signups and entry reads need a server key in \`Authorization: Bearer <key>\`. Keep it on your backend, never in a browser.

| Key | Reaches |
|---|---|
| Waitlist key | One waitlist. Writes, and reads when it was made with the grant \`waitlist:read\`. |
| Product key | Every waitlist. Writes and reads. |

A key belongs to one environment, and the environment decides which queue of a waitlist is meant: \`dl_live_…\` works on
production, \`dl_test_…\` on any other. Invite codes and webhook signatures are proof enough by themselves: those endpoints need
no key. The two invite endpoints also answer browsers on any origin.

## Errors

Every error is \`{ "code", "message" }\`: the code is for programs, the message tells a person which field is wrong and why.
Each operation below lists the errors that it can give. Besides those, any request can meet these:

| Status | Code | When |
|---|---|---|
| 404 | \`not_found\` | Nothing is at this path. |
| 405 | \`method_not_allowed\` | The path exists, but not with this method. \`Allow\` lists the right ones. |
| 408 | \`invalid_request\` | The request took too long to arrive. |
| 431 | \`invalid_request\` | The headers are larger than 16 KiB. |

## Retries

Signups can be sent again after any failure: whoever is on the waitlist already is skipped. Accepting an invite can be
sent again with the same \`Idempotency-Key\`. On 429 and 503, wait for the seconds in \`Retry-After\` first.

## Rate limits

Limits count requests a minute for one client address. \`RateLimit\` and \`RateLimit-Policy\` say how much is left. These are
the defaults; an installation may set others or none.

| What | Limit a minute |
|---|---|
| Invite checks | 600 |
| Invite accepts | 300 |
| Webhook verifications | 600 |
| Refused server keys | 60 |`;
