import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import type { Config } from '../config/config.ts';
import { randomBytes } from '../lib/ids.ts';
import type { Log } from '../lib/log.ts';
import type { Attributes, Meter, Span, SpanId, Tracer } from '../lib/telemetry.ts';
import { createExporter, type Exporter, type SpanRecord } from './otlp.ts';

/** As many as the SDKs of OpenTelemetry keep. */
const LINKS_MAX = 128;
/** Events whose deliveries can still be linked to what caused them. Most are sent within milliseconds. */
const ORIGINS_MAX = 10_000;
/** As OTLP numbers them. */
const KINDS = { server: 2, client: 3, producer: 4 } as const;
const STATUS_ERROR = 2;
/** Sampled, and whether the parent is in another process is known. */
const FLAGS = 0x101;
const FLAG_REMOTE = 0x200;

interface ParentContext extends SpanId {
  isSampled: boolean;
}

interface Beginning {
  name: string;
  kind: keyof typeof KINDS;
  traceId: string;
  spanId?: string;
  parent?: { spanId: string; isRemote: boolean } | undefined;
  attributes?: Attributes;
  links?: readonly SpanId[];
}

/** What the running code belongs to. With a group commit, several requests wait for it. */
interface Active {
  span: Span;
  others: readonly Span[];
}

export type ClosableTracer = Tracer & {
  /** What caused the deliveries of a trace. Called by itself, except for what other threads have traced. */
  remember(traceId: string, origin: SpanId): void;
  close(): Promise<void>;
};

export interface TracerParts {
  log: Log;
  meter: Meter;
  /** Called instead of `remember` on a thread that delivers nothing. */
  passOn?: ClosableTracer['remember'];
}

/** Traces requests, their transactions and their deliveries, and sends them to a collector. */
export function createTracer(
  config: NonNullable<Config['tracing']>,
  { passOn, ...parts }: TracerParts,
): ClosableTracer {
  const exporter = createExporter(config, parts);
  const isSampled = samplerOf(config.sampler, config.ratio);
  const active = new AsyncLocalStorage<Active | undefined>();
  const origins = new Map<string, SpanId>();
  const remember = (traceId: string, origin: SpanId) => {
    if (origins.size >= ORIGINS_MAX) origins.delete(origins.keys().next().value ?? '');
    origins.set(traceId, origin);
  };
  const begin = (beginning: Beginning) => beginSpan(beginning, exporter, passOn ?? remember);

  return {
    request: (name, traceparent) => {
      const parent = parseTraceparent(traceparent);
      const traceId = parent?.traceId ?? newHex(16);
      if (!isSampled(traceId, parent?.isSampled)) return undefined;
      return begin({ name, kind: 'server', traceId, parent: parent && { ...parent, isRemote: true } });
    },
    delivery: ({ eventId, target, attempt }) => {
      const first = firstAttempt(eventId, target);
      const origin = origins.get(first.traceId);
      if (!isSampled(first.traceId, origin && true)) return undefined;
      return begin({
        name: `deliver ${target.channel}`,
        kind: 'producer',
        ...(attempt === 1 ? first : { ...first, spanId: newHex(8), parent: { ...first, isRemote: true } }),
        attributes: { 'doorlist.channel': target.channel, 'doorlist.attempt': attempt },
        links: origin ? [origin] : [],
      });
    },
    run: (span, work) => active.run({ span, others: [] }, work),
    runFor: (spans, work) => {
      const [span, ...others] = spans.filter((each) => !each.hasEnded());
      return active.run(span && { span, others }, work);
    },
    current: () => active.getStore()?.span,
    transaction: async (engine, work) => {
      const now = active.getStore();
      if (!now || now.span.hasEnded()) return work(); // Background work that a request has set off.
      const span = begin({
        name: 'transaction',
        kind: 'client',
        traceId: now.span.traceId,
        parent: { spanId: now.span.spanId, isRemote: false },
        attributes: { 'db.system.name': engine === 'postgres' ? 'postgresql' : engine },
        links: now.others,
      });
      for (const other of now.others) other.link(span);
      try {
        const result = await active.run({ span, others: [] }, work);
        span.end(true);
        return result;
      } catch (error) {
        span.end(false);
        throw error;
      }
    },
    remember,
    close: exporter.close,
  };
}

function beginSpan(
  { name, kind, traceId, spanId = newHex(8), parent, attributes = {}, links = [] }: Beginning,
  exporter: Exporter,
  remember: (traceId: string, origin: SpanId) => void,
): Span {
  const startedAt = performance.now();
  const own = { traceId, spanId };
  const all: Record<string, string | number | boolean> = { ...attributes };
  const linked: SpanId[] = [];
  let hasEnded = false;
  const link = (other: SpanId) => {
    if (linked.length < LINKS_MAX) linked.push({ traceId: other.traceId, spanId: other.spanId });
  };
  for (const each of links) link(each);
  return {
    ...own,
    link,
    hasEnded: () => hasEnded,
    set: (more) => void Object.assign(all, more),
    leadsTo: (eventId, targets) => {
      for (const target of targets) {
        const first = firstAttempt(eventId, target);
        link(first);
        remember(first.traceId, own);
      }
    },
    end: (isOk) => {
      if (hasEnded) return;
      hasEnded = true;
      const record: SpanRecord = {
        ...own,
        ...(parent ? { parentSpanId: parent.spanId } : {}),
        flags: parent?.isRemote ? FLAGS | FLAG_REMOTE : FLAGS,
        name,
        kind: KINDS[kind],
        startTimeUnixNano: unixNanos(startedAt),
        endTimeUnixNano: unixNanos(performance.now()),
        attributes: all,
        links: linked,
        ...(isOk ? {} : { status: { code: STATUS_ERROR } }),
      };
      exporter.add(record);
    },
  };
}

/**
 * An event's id has the length of a trace's, so all its attempts share a trace without anything being stored, on whatever
 * instance and however late. What caused it can name the first attempt of each delivery before it is made.
 */
function firstAttempt(
  eventId: Uint8Array,
  { channel, id }: { channel: string; id: Uint8Array },
): { traceId: string; spanId: string } {
  const hash = createHash('sha256').update(eventId).update(channel).update(id).digest('hex');
  return { traceId: Buffer.from(eventId).toString('hex'), spanId: hash.slice(0, 16) };
}

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/;

/** https://www.w3.org/TR/trace-context/. One that is malformed does not count. */
function parseTraceparent(text = ''): ParentContext | undefined {
  const [, traceId, spanId, flags = ''] = TRACEPARENT.exec(text) ?? [];
  if (traceId === undefined || spanId === undefined) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** Decides by the trace's id, so that every instance decides alike. */
function samplerOf(name: string, ratio: number): (traceId: string, isParentSampled?: boolean) => boolean {
  const share = name.endsWith('always_off') ? 0 : name.endsWith('always_on') ? 1 : ratio;
  const isChosen = (traceId: string) => Number.parseInt(traceId.slice(-13), 16) < share * 2 ** 52;
  if (!name.startsWith('parentbased_')) return isChosen;
  return (traceId, isParentSampled) => isParentSampled ?? isChosen(traceId);
}

function newHex(bytes: number): string {
  return randomBytes(bytes).toString('hex');
}

/** In microseconds, which a number can still express. */
function unixNanos(monotonicMs: number): string {
  return `${Math.round((performance.timeOrigin + monotonicMs) * 1000)}000`;
}
