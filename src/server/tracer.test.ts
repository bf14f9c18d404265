import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { createLogger } from '../lib/log.ts';
import { UNMETERED } from '../lib/telemetry.ts';
import { createTracer } from './tracer.ts';

const LOW = 'a'.repeat(19) + '0'.repeat(13);
const HIGH = 'a'.repeat(19) + 'f'.repeat(13);
const SPAN_ID = 'b'.repeat(16);

describe('a tracer', () => {
  const opened: ReturnType<typeof createTracer>[] = [];
  after(() => Promise.all(opened.map(({ close }) => close())));
  /** Its spans are never ended, so that nothing is sent. */
  const tracerWith = (sampler: string, ratio = 1) => {
    const config = { endpoint: 'http://127.0.0.1:9', headers: {}, resource: {}, sampler, ratio };
    const tracer = createTracer(config, { log: createLogger('silent'), meter: UNMETERED });
    opened.push(tracer);
    return tracer;
  };
  const target = { channel: 'webhook', id: Buffer.alloc(16, 1) };

  it('chooses requests as the sampler says', () => {
    const chosen = (sampler: string, ratio?: number) => {
      const tracer = tracerWith(sampler, ratio);
      return [LOW, HIGH].flatMap((traceId) =>
        ['01', '00'].map((flags) => tracer.request('GET', `00-${traceId}-${SPAN_ID}-${flags}`) !== undefined),
      );
    };
    assert.deepEqual(chosen('always_on'), [true, true, true, true]);
    assert.deepEqual(chosen('always_off'), [false, false, false, false]);
    assert.deepEqual(chosen('traceidratio', 0.5), [true, true, false, false]);
    for (const sampler of ['always_on', 'always_off', 'traceidratio'])
      assert.deepEqual(chosen(`parentbased_${sampler}`, 0.5), [true, false, true, false]);
    assert.ok(tracerWith('parentbased_always_on').request('GET', undefined));
    assert.equal(tracerWith('parentbased_always_off').request('GET', undefined), undefined);
  });

  it('continues a valid trace, and begins a new one otherwise', () => {
    const tracer = tracerWith('always_on');
    const idFor = (traceparent: string) => tracer.request('GET', traceparent)?.traceId ?? '';
    assert.equal(idFor(`00-${LOW}-${SPAN_ID}-01`), LOW);
    assert.equal(idFor(`42-${LOW}-${SPAN_ID}-01-more`), LOW);
    for (const invalid of [
      '',
      `ff-${LOW}-${SPAN_ID}-01`,
      `00-${'0'.repeat(32)}-${SPAN_ID}-01`,
      `00-${LOW}-${'0'.repeat(16)}-01`,
      `00-${LOW.toUpperCase()}-${SPAN_ID}-01`,
      `00-${LOW}-${SPAN_ID}-1`,
      `00-${LOW}-${SPAN_ID}-011`,
    ]) {
      const id = idFor(invalid);
      assert.match(id, /^[0-9a-f]{32}$/);
      assert.notEqual(id, LOW);
    }
  });

  it('gives all attempts of an event one trace, on every instance', () => {
    const eventId = Buffer.from(HIGH, 'hex');
    const [one, other] = [tracerWith('always_on'), tracerWith('always_on')];
    const first = one.delivery({ eventId, target, attempt: 1 });
    assert.equal(first?.traceId, HIGH);
    assert.equal(other.delivery({ eventId, target, attempt: 1 })?.spanId, first?.spanId);
    const elsewhere = { ...target, id: Buffer.alloc(16, 2) };
    assert.notEqual(one.delivery({ eventId, target: elsewhere, attempt: 1 })?.spanId, first?.spanId);
    const second = other.delivery({ eventId, target, attempt: 2 });
    assert.equal(second?.traceId, HIGH);
    assert.notEqual(second?.spanId, first?.spanId);
  });

  it('traces the deliveries of what it traced, whatever their share', () => {
    const tracer = tracerWith('parentbased_traceidratio', 0);
    const eventId = Buffer.from(HIGH, 'hex');
    assert.equal(tracer.delivery({ eventId, target, attempt: 1 }), undefined);
    tracer.request('GET', `00-${LOW}-${SPAN_ID}-01`)?.leadsTo(eventId, [target]);
    assert.ok(tracer.delivery({ eventId, target, attempt: 1 }));
  });

  it('knows what the running code belongs to', async () => {
    const tracer = tracerWith('always_on');
    const span = tracer.request('GET', undefined);
    assert.ok(span);
    assert.equal(tracer.current(), undefined);
    await tracer.run(span, async () => {
      await new Promise((resolve) => setImmediate(resolve));
      assert.equal(tracer.current(), span);
    });
    assert.equal(
      tracer.runFor([], () => tracer.current()),
      undefined,
    );
    assert.equal(
      tracer.runFor([span], () => tracer.current()),
      span,
    );
  });
});
