import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { parseId } from '../src/lib/ids.ts';
import { forEachEngine } from './support/harness.ts';
import { type Receiver, startReceiver, status } from './support/receiver.ts';
import { type Served, serveHere } from './support/serve-here.ts';
import { createStorage, type Storage } from './support/storage.ts';
import { jsonOf } from './support/terminal.ts';
import { LOOPBACK, until } from './support/webhooks.ts';

interface SpanId {
  traceId: string;
  spanId: string;
}

interface ExportedSpan extends SpanId {
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: object }[];
  links: SpanId[];
  status?: { code: number };
}

interface ExportRequest {
  resourceSpans: {
    resource: { attributes: { key: string; value: object }[] };
    scopeSpans: { spans: ExportedSpan[] }[];
  }[];
}

/** The kind of a span for a request that was received. */
const REQUEST = 2;
const hex = (number: number, digits: number) => number.toString(16).padStart(digits, '0');
/** A caller with a trace of its own. */
const caller = (number: number) => ({
  traceId: `c0ffee${hex(number, 26)}`,
  spanId: `ca11${hex(number, 12)}`,
});
const traceparent = ({ traceId, spanId }: SpanId, flags = '01') => `00-${traceId}-${spanId}-${flags}`;
const attributesOf = ({ attributes }: ExportedSpan) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

/** What the collector has accepted. */
function spansIn({ received }: Receiver): ExportedSpan[] {
  return received.flatMap(({ body }) =>
    (JSON.parse(body) as ExportRequest).resourceSpans.flatMap(({ scopeSpans }) =>
      scopeSpans.flatMap(({ spans }) => spans),
    ),
  );
}

forEachEngine((engine) => {
  describe('traces', () => {
    let storage: Storage;
    let collector: Receiver;
    let hooks: Receiver;
    let server: Served;
    let key: string;
    before(async () => {
      storage = await createStorage(engine, { migrated: true });
      collector = await startReceiver();
      hooks = await startReceiver();
      const variables = {
        ...storage.environment,
        ...LOOPBACK,
        DOORLIST_STOP_DELAY: '0s', // For balancers, of which the probe below could be one.
        OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
        OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20collector-token',
        OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      };
      server = await serveHere(variables);
      await jsonOf(variables, 'waitlist', 'create', 'wl_acme', '--name', 'Acme');
      const create = ['key', 'create', '--waitlist', 'wl_acme', '--env', 'production'];
      ({ key } = await jsonOf<{ key: string }>(variables, ...create));
      await jsonOf(variables, 'webhook', 'create', '--waitlist', 'wl_acme', '--url', hooks.url);
    });
    after(async () => {
      await server?.stop();
      await hooks?.close();
      await collector?.close();
      await storage?.remove();
    });

    const signUp = async (email: string, headers: Record<string, string> = {}) => {
      const response = await fetch(`${server.url}/sdk/v1/waitlist/signup`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ waitlistId: 'wl_acme', entries: [{ email }] }),
      });
      assert.equal(response.status, 201, await response.text());
    };
    /** An event's id is that of the trace of its deliveries. */
    const deliveryTraceOf = (email: string) => {
      const { id } = hooks.received.find(({ body }) => body.includes(email)) ?? { id: '' };
      return parseId('evt', id)?.toString('hex');
    };

    it('lead from the caller through the request and its transaction to the delivery, without anything personal', async () => {
      await signUp('ada@example.com', { traceparent: traceparent(caller(1)) });
      await fetch(`${server.url}/healthz`);
      await fetch(`${server.url}/nothing/ada@example.com?email=ada@example.com`, {
        headers: { traceparent: '00-not-a-trace-01' },
      });
      await signUp('grace@example.com', { traceparent: traceparent(caller(2), '00') });
      await until('both were delivered', () => hooks.received.length === 2);
      const traced = ['ada@example.com', 'grace@example.com'].map(deliveryTraceOf);
      await until('the spans arrived', () => {
        const spans = spansIn(collector);
        return (
          traced.every((id) => spans.some(({ traceId }) => traceId === id)) &&
          spans.filter(({ kind }) => kind === REQUEST).length === 2
        );
      });

      const instances = collector.received.flatMap(({ body }) =>
        (JSON.parse(body) as ExportRequest).resourceSpans.flatMap(({ resource }) =>
          resource.attributes.filter(({ key }) => key === 'service.instance.id'),
        ),
      );
      assert.equal(instances.length, collector.received.length);
      assert.equal(new Set(instances.map(({ value }) => JSON.stringify(value))).size, 1);

      const spans = spansIn(collector);
      const request = spans.find(({ traceId, kind }) => traceId === caller(1).traceId && kind === REQUEST);
      assert.ok(request);
      assert.equal(request.parentSpanId, caller(1).spanId);
      assert.equal(request.name, 'POST /sdk/v1/waitlist/signup');
      assert.deepEqual(attributesOf(request), {
        'http.request.method': 'POST',
        'http.route': '/sdk/v1/waitlist/signup',
        'http.response.status_code': '201',
      });
      assert.ok(BigInt(request.endTimeUnixNano) > BigInt(request.startTimeUnixNano));
      const transaction = spans.find(({ parentSpanId }) => parentSpanId === request.spanId);
      assert.ok(transaction);
      assert.equal(transaction.traceId, request.traceId);
      assert.equal(transaction.name, 'transaction');
      const system = engine === 'sqlite' ? 'sqlite' : 'postgresql';
      assert.deepEqual(attributesOf(transaction), { 'db.system.name': system });

      const delivery = spans.find(({ traceId }) => traceId === traced[0]);
      assert.ok(delivery);
      assert.equal(delivery.name, 'deliver webhook');
      const { traceId, spanId } = delivery;
      assert.deepEqual(transaction.links, [{ traceId, spanId }]);
      assert.deepEqual(delivery.links, [{ traceId: transaction.traceId, spanId: transaction.spanId }]);
      assert.deepEqual(attributesOf(delivery), {
        'doorlist.channel': 'webhook',
        'doorlist.attempt': '1',
        'doorlist.response.status': '200',
      });

      // Not traced: a caller that says no, and probes. A malformed trace begins a new one.
      assert.ok(!spans.some((span) => span.traceId === caller(2).traceId));
      const lost = spans.find(({ kind, traceId: id }) => kind === REQUEST && id !== request.traceId);
      assert.ok(lost && lost.parentSpanId === undefined);
      assert.equal(lost.name, 'GET');
      assert.equal(attributesOf(lost)['http.response.status_code'], '404');

      const sent = collector.received.map(({ body }) => body).join('\n');
      assert.doesNotMatch(sent, /example\.com|wl_acme|dl_live|127\.0\.0\.1/);
      for (const { url, headers } of collector.received) {
        assert.equal(url, '/v1/traces');
        assert.equal(headers['content-type'], 'application/json');
        assert.equal(headers.authorization, 'Bearer collector-token');
      }
      assert.match(sent, /\{"key":"service\.name","value":\{"stringValue":"doorlist"\}\}/);
      assert.match(sent, /\{"key":"deployment\.environment\.name","value":\{"stringValue":"test"\}\}/);
    });

    it('link a commit to every request that shares it', async () => {
      collector.received.length = 0;
      const callers = Array.from({ length: 40 }, (_, index) => caller(100 + index));
      await Promise.all(
        callers.map((each, index) => signUp(`p${index}@example.com`, { traceparent: traceparent(each) })),
      );
      const requestsIn = (spans: ExportedSpan[]) => spans.filter(({ kind }) => kind === REQUEST);
      await until('the spans arrived', () => requestsIn(spansIn(collector)).length === callers.length);
      const spans = spansIn(collector);
      const commits = spans.filter(({ name }) => name === 'transaction');
      assert.ok(commits.length < callers.length, `${commits.length} commits`);
      for (const { spanId, links } of requestsIn(spans)) {
        const own = commits.filter((commit) => commit.parentSpanId === spanId);
        const shared = commits.filter((commit) => commit.links.some((link) => link.spanId === spanId));
        assert.equal(own.length + shared.length, 1);
        assert.deepEqual(
          links.map((link) => link.spanId),
          shared.map((commit) => commit.spanId),
        );
      }
    });

    it('wait for a collector that is down, and are sent when the server stops', async () => {
      collector.received.length = 0;
      collector.answer = status(503);
      await signUp('alan@example.com', { traceparent: traceparent(caller(3)) });
      await until('the collector refused it', () => collector.received.length > 0);
      await signUp('edsger@example.com', { traceparent: traceparent(caller(4)) });
      collector.received.length = 0;
      collector.answer = (_, response) => void response.end('{"partialSuccess":{}}');
      await server.stop();
      const traces = new Set(spansIn(collector).map(({ traceId }) => traceId));
      assert.ok(traces.has(caller(3).traceId) && traces.has(caller(4).traceId));
    });
  });
});
