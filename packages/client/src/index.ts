export {
  type Acceptance,
  type AcceptOptions,
  type CallOptions,
  type Client,
  type ClientOptions,
  createClient,
  type Entry,
  type EntryPage,
  type EntryQuery,
  type InviteCheck,
  type SignedUpEntry,
  type SignupEntry,
  type SignupOptions,
  type SignupResult,
} from './client.ts';
export { DoorlistError, type ErrorCode } from './errors.ts';
export {
  type VerifyOptions,
  verifyWebhook,
  WebhookError,
  type WebhookEvent,
  type WebhookHeaders,
  type WebhookProblem,
} from './webhooks.ts';
