import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { readConfig } from '../config/config.ts';
import { ROOT } from '../lib/root.ts';
import { countThreads, memoryFor, shareConnections, threadsFor } from './thread-count.ts';

const POSTGRES = { DATABASE_URL: 'postgres://127.0.0.1/doorlist' };

describe('the number of threads', () => {
  it('depends on the processors unless it is given', () => {
    const counts = [1, 2, 3, 4, 5, 6, 64].map((processors) => threadsFor(processors, 64e9));
    assert.deepEqual(counts, [1, 1, 1, 2, 2, 3, 3]);
  });

  it('depends on the memory that a container has, too', () => {
    const MIB = 1024 ** 2;
    const counts = [128, 512, 600, 1024].map((mebibytes) => threadsFor(64, mebibytes * MIB));
    assert.deepEqual(counts, [1, 1, 2, 3]);
    for (const threads of [2, 3]) {
      assert.equal(threadsFor(64, memoryFor(threads)), threads);
      assert.equal(threadsFor(64, memoryFor(threads) - 1), threads - 1);
    }
    assert.equal(threadsFor(4, 64e9), 2, 'memory without processors');
  });

  it('fits into the limit of the Kubernetes manifest, with an import and room', () => {
    const manifest = readFileSync(path.join(ROOT, 'deploy/kubernetes/doorlist.yaml'), 'utf8');
    const [, limit] = /limits: \{ memory: (\d+)Mi \}/.exec(manifest) ?? [];
    const bytes = Number(limit) * 1024 ** 2;
    assert.ok(bytes >= 1.1 * memoryFor(threadsFor(64, bytes)), `${limit}Mi`);
  });

  it('is a whole number from 1 to 16, or auto', () => {
    for (const workers of ['0', '17', '-1', '1.5', 'many', '1e1'])
      assert.throws(() => readConfig({ DOORLIST_WORKERS: workers }), {
        message: 'DOORLIST_WORKERS: must be a whole number from 1 to 16, or auto',
      });
    assert.equal(readConfig({}).workers, 'auto');
    assert.equal(readConfig({ DOORLIST_WORKERS: 'auto' }).workers, 'auto');
    assert.equal(readConfig({ DOORLIST_WORKERS: '16' }).workers, 16);
  });

  it('is 1 for an instance that answers no requests, and says why', async () => {
    const config = readConfig({ ...POSTGRES, DOORLIST_ROLE: 'worker', DOORLIST_WORKERS: '4' });
    const { threads, reason } = await countThreads(config);
    assert.equal(threads, 1);
    assert.match(reason ?? '', /^an instance with the role worker /);
    assert.deepEqual(await countThreads({ ...config, workers: 'auto' }), { threads: 1 });
  });

  it('leaves each at least two connections to PostgreSQL, and no more than there are to all', async () => {
    for (const [pool, threads, shares] of [
      [10, 4, [3, 3, 2, 2]],
      [5, 2, [3, 2]],
      [1, 1, [1]],
    ] as const) {
      const config = readConfig({
        ...POSTGRES,
        DOORLIST_WORKERS: '4',
        DOORLIST_DATABASE_POOL: String(pool),
      });
      const counted = await countThreads(config);
      assert.equal(counted.threads, threads);
      assert.equal(counted.reason === undefined, threads === 4);
      assert.deepEqual(
        shareConnections(config, threads).map((share) => share.pool),
        shares,
      );
    }
  });
});
