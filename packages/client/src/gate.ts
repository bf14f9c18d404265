import type { components } from './api.ts';
import { checkSending, send } from './send.ts';

export type GateAnswer = components['schemas']['GateAnswer'];
export type GateDenial = Extract<GateAnswer, { allow: false }>;

export interface GateOptions {
  /** The URL that was shown when the gate key was created: `https://waitlist.example.com/gate/v1/dlg_…`. */
  url: string;
  /** For each attempt. Default: 5 seconds, because a person is waiting. */
  timeoutMs?: number | undefined;
  /** How often a failed request is repeated. Default: 1. */
  retries?: number | undefined;
  /** Before the first retry, doubled for each further one. Default: 250 ms. */
  retryDelayMs?: number | undefined;
  /** Default: the global `fetch`. */
  fetch?: typeof fetch | undefined;
}

export interface GateQuestion {
  email: string;
  /** The code of the invite. Without it, the open invite of the email counts. */
  code?: string | undefined;
  /** Default: a random one for each call, the same for its retries. */
  idempotencyKey?: string | undefined;
}

/**
 * Asks whether a person may sign up to your product. `allow: true` has redeemed their invite, so ask right before you
 * create the account. Throws a `DoorlistError` if there was no answer: then, too, let nobody in.
 */
export function askGate(options: GateOptions, question: GateQuestion): Promise<GateAnswer> {
  const { url, timeoutMs = 5_000, retries = 1, retryDelayMs = 250 } = options;
  if (!/^https?:\/\/.+\/gate\/v1\/dlg_\w+$/.test(url))
    throw new TypeError('url: must be the URL of a gate key, https://…/gate/v1/dlg_…');
  const { email, code, idempotencyKey = crypto.randomUUID() } = question;
  const ask = options.fetch ?? ((...request) => fetch(...request));
  return send(checkSending({ url, fetch: ask, timeoutMs, retries, retryDelayMs }), {
    method: 'POST',
    prefix: '',
    path: '',
    body: code === undefined ? { email } : { email, code },
    headers: { 'idempotency-key': idempotencyKey },
  });
}

/** What to show a person when the gate did not answer. */
export const NO_ANSWER = 'Your invite could not be checked. Try again in a moment.';
