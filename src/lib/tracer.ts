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
