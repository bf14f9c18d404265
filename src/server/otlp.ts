import type { Config } from '../config/config.ts';
import type { Log } from '../lib/log.ts';
import { VERSION } from '../lib/root.ts';
import { reportState } from '../lib/state-log.ts';
import type { Attributes, Meter, SpanId } from '../lib/telemetry.ts';
import { lazyDispatcher } from '../webhooks/requests.ts';

/** As OTLP writes it, except for the attributes. */
export interface SpanRecord extends SpanId {
  parentSpanId?: string;
  flags: number;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Attributes;
  links: readonly SpanId[];
  status?: { code: number };
}

export interface Exporter {
  add(span: SpanRecord): void;
  /** Sends what is waiting, if that does not take long. */
  close(): Promise<void>;
}

/** As in the SDKs of OpenTelemetry: what does not fit is dropped. */
const WAITING_MAX = 2_048;
const BATCH_MAX = 512;
const SEND_EVERY_MS = 1_000;
const DEADLINE_MS = 10_000;
/** Between two tries while the collector does not answer. */
const PAUSE_MS = 5_000;
/** Stopping takes at most this much longer because of traces. */
const CLOSE_MS = 2_000;
/** The collector is overloaded, or not there. Others mean that it will never take these spans. */
const TRY_AGAIN = new Set([429, 502, 503, 504]);

interface Outcome {
  /** If not, the same spans are sent again later. */
  isOver: boolean;
  accepted: number;
  problem?: string;
}

/** Sends spans as JSON to an OpenTelemetry collector, in the background. Whoever records one never waits. */
export function createExporter(
  { endpoint, headers, resource }: NonNullable<Config['tracing']>,
  { log, meter }: { log: Log; meter: Meter },
): Exporter {
  const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`;
  const agent = lazyDispatcher({ connections: 1, headersTimeout: DEADLINE_MS, bodyTimeout: DEADLINE_MS });
  const waiting: SpanRecord[] = [];
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> | undefined;
  let isPaused = false;

  const post = async (batch: readonly SpanRecord[]): Promise<Outcome> => {
    try {
      const [{ request }, dispatcher] = await Promise.all([import('undici'), agent.open()]);
      const { statusCode, body } = await request(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'user-agent': `Doorlist/${VERSION}`, ...headers },
        body: JSON.stringify(exportRequest(resource, batch)),
        dispatcher,
        signal: AbortSignal.timeout(DEADLINE_MS),
      });
      const answer = await body.text();
      if (statusCode >= 200 && statusCode < 300)
        return { isOver: true, accepted: batch.length - rejectedIn(answer) };
      const problem = `the collector answered ${statusCode}`;
      return { isOver: !TRY_AGAIN.has(statusCode), accepted: 0, problem };
    } catch (error) {
      const { code, name } = error as NodeJS.ErrnoException;
      return { isOver: false, accepted: 0, problem: `no answer from the collector (${code ?? name})` };
    }
  };

  const sendAll = async () => {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, BATCH_MAX);
      const { isOver, accepted, problem } = await post(batch);
      reportState(log, 'traces', problem ? 'not accepted' : 'ok', problem ? { reason: problem } : {});
      if (!isOver) {
        isPaused = true;
        return later(PAUSE_MS);
      }
      waiting.splice(0, batch.length);
      meter.spans('exported', accepted);
      meter.spans('dropped', batch.length - accepted);
    }
  };
  const send = () => {
    clearTimeout(timer);
    timer = undefined;
    isPaused = false;
    sending ??= sendAll().finally(() => {
      sending = undefined;
    });
    return sending;
  };
  let later = (ms: number) => {
    timer ??= setTimeout(send, ms).unref();
  };

  return {
    add: (span) => {
      if (waiting.length >= WAITING_MAX) return meter.spans('dropped', 1);
      waiting.push(span);
      if (sending || isPaused) return;
      if (waiting.length >= BATCH_MAX) void send();
      else later(SEND_EVERY_MS);
    },
    close: async () => {
      await Promise.race([
        send(),
        new Promise<void>((resolve) => {
          setTimeout(resolve, CLOSE_MS).unref();
        }),
      ]);
      later = () => {};
      clearTimeout(timer);
      if (waiting.length > 0) log.warn({ spans: waiting.length }, 'stopped before all traces were sent');
      await agent.destroy();
    },
  };
}

function exportRequest(resource: Attributes, spans: readonly SpanRecord[]) {
  return {
    resourceSpans: [
      {
        resource: { attributes: keyValues({ ...resource, 'service.version': VERSION }) },
        scopeSpans: [
          {
            scope: { name: 'doorlist', version: VERSION },
            spans: spans.map((span) => ({ ...span, attributes: keyValues(span.attributes) })),
          },
        ],
      },
    ],
  };
}

function keyValues(attributes: Attributes) {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }));
}

function anyValue(value: string | number | boolean) {
  if (typeof value === 'string') return { stringValue: value };
  return typeof value === 'boolean' ? { boolValue: value } : { intValue: String(value) };
}

/** A collector can take a batch and reject some of its spans. */
function rejectedIn(answer: string): number {
  try {
    const { partialSuccess } = JSON.parse(answer) as { partialSuccess?: { rejectedSpans?: string | number } };
    return Number(partialSuccess?.rejectedSpans ?? 0) || 0;
  } catch {
    return 0; // It need not answer with anything.
  }
}
