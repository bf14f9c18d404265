/**
 * Counts what this process does, for its metrics. Every label has few values, known from the code: no ids, no
 * addresses, nothing that a caller sends.
 */
export interface Meter {
  /** `route` is the pattern of the path. `aborted`: the client left before the answer. */
  request(route: string, method: string, status: number | 'aborted', seconds: number): void;
  /** Entries of one batch, after its commit. */
  signups(batch: { created: number; skipped: number }): void;
  attempt(channel: string, outcome: AttemptOutcome): void;
  /** `limit` is its name. */
  rateLimited(limit: string): void;
  signInFailed(): void;
  /** A mistake in the code: a promise failed, and nobody handled it. */
  unhandledRejection(): void;
  /** Of traces. `dropped`: they did not fit into the queue, or the collector did not want them. */
  spans(result: 'exported' | 'dropped', count: number): void;
}

/** `kept`: without a mail server, emails stay in the mailbox. `deferred`: it was nobody's fault, and does not count as a try. */
export const ATTEMPT_OUTCOMES = ['delivered', 'kept', 'retried', 'deferred', 'failed'] as const;
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

/** For commands, whose process ends before anybody could ask. */
export const UNMETERED: Meter = {
  request: () => {},
  signups: () => {},
  attempt: () => {},
  rateLimited: () => {},
  signInFailed: () => {},
  unhandledRejection: () => {},
  spans: () => {},
};
