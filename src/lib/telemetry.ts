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

/** Text, whole numbers and yes or no. Never personal data, and nothing that a caller sends. */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** Where a message goes, as far as a trace tells. */
interface Destination {
  readonly channel: string;
  readonly id: Uint8Array;
}

export interface SpanId {
  readonly traceId: string;
  readonly spanId: string;
}

/** Something that this process does for somebody, from its start to its end. */
export interface Span extends SpanId {
  hasEnded(): boolean;
  /** The two belong together, without one being part of the other. */
  link(other: SpanId): void;
  set(attributes: Attributes): void;
  /** The deliveries of this event, which have a trace of their own, are a consequence of this. */
  leadsTo(eventId: Uint8Array, targets: readonly Destination[]): void;
  end(isOk: boolean): void;
}

interface Delivery {
  readonly eventId: Uint8Array;
  readonly target: Destination;
  /** Counted from 1. */
  readonly attempt: number;
}

/** Records spans of what was chosen to be traced. Nothing has one of these while tracing is off. */
export interface Tracer {
  /** Continues the trace of the caller, if it has one. undefined if this one is not traced. */
  request(name: string, traceparent: string | undefined): Span | undefined;
  delivery(delivery: Delivery): Span | undefined;
  /** Whatever `work` does belongs to the span. */
  run<T>(span: Span, work: () => T): T;
  /** The same for work that several of them wait for. */
  runFor<T>(spans: readonly Span[], work: () => T): T;
  /** The span that the running code belongs to. */
  current(): Span | undefined;
  /** A transaction of the current span, or of nobody. */
  transaction<T>(engine: string, work: () => Promise<T>): Promise<T>;
}
