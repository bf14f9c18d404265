import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { createLogger } from '../lib/log.ts';
import { UNMETERED } from '../lib/telemetry.ts';
import { createExporter, type SpanRecord } from './otlp.ts';

const SPAN: SpanRecord = {
  traceId: 'a'.repeat(32),
  spanId: 'b'.repeat(16),
  flags: 1,
  name: 'GET',
  kind: 2,
  startTimeUnixNano: '1',
  endTimeUnixNano: '2',
  attributes: {},
  links: [],
};

/** A collector that answers as told. Nothing: it hangs. */
async function start(answer: (() => { status: number; body: string }) | undefined) {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      if (!answer) return;
      const { status, body } = answer();
      response.writeHead(status).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const counts = { exported: 0, dropped: 0 };
  const lines: string[] = [];
  const exporter = createExporter(
    {
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      headers: {},
      resource: {},
      sampler: 'always_on',
      ratio: 1,
    },
    {
      log: createLogger('info', { write: (line) => void lines.push(line) }),
      meter: {
        ...UNMETERED,
        spans: (result, count) => {
          counts[result] += count;
        },
      },
    },
  );
  const stop = async () => {
    await exporter.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { exporter, counts, lines, stop };
}

describe('sending traces', () => {
  it('keeps a bounded number of spans while the collector hangs, counts the others, and still stops', async () => {
    const { exporter, counts, lines, stop } = await start(undefined);
    for (let count = 0; count < 3_000; count += 1) exporter.add(SPAN);
    assert.deepEqual(counts, { exported: 0, dropped: 3_000 - 2_048 });
    await stop();
    assert.match(lines.join(''), /"spans":2048,"msg":"stopped before all traces were sent"/);
  });

  it('counts what the collector took, and drops what it will never take', async () => {
    const answers = [
      { status: 200, body: '{"partialSuccess":{"rejectedSpans":"2","errorMessage":"no"}}' },
      { status: 400, body: '' },
      { status: 200, body: '' },
    ];
    const { exporter, counts, lines, stop } = await start(() => answers.shift() ?? { status: 500, body: '' });
    for (let count = 0; count < 512 + 512 + 10; count += 1) exporter.add(SPAN);
    await stop();
    assert.deepEqual(counts, { exported: 510 + 10, dropped: 2 + 512 });
    assert.match(lines.join(''), /"reason":"the collector answered 400","msg":"traces: not accepted"/);
  });
});
