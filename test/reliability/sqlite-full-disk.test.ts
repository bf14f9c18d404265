import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { it } from 'node:test';
import { assertError, eventually, startService } from '../support/harness.ts';

it('is not ready on a full disk, acknowledges nothing that is not stored, and recovers', async (test) => {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'doorlist-small-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=6m', 'tmpfs', dataDir]).status === 0;
  if (!mounted) {
    rmSync(dataDir, { recursive: true });
    return test.skip('needs a small file system, and only root may mount one');
  }
  const remove = async () => {
    spawnSync('umount', [dataDir]);
    rmSync(dataDir, { recursive: true });
  };
  const storage = { engine: 'sqlite' as const, dataDir, environment: { DOORLIST_DATA_DIR: dataDir }, remove };
  const service = await startService('sqlite', { storage });
  try {
    const list = await service.waitlist();
    const kept: string[] = [];
    const ballast = path.join(dataDir, 'ballast');
    spawnSync('dd', ['if=/dev/zero', `of=${ballast}`, 'bs=4k']); // Until there is no room for more.
    const metadata = { note: 'x'.repeat(15_000) };
    let refused = await list.signup({ email: 'n0@example.com', metadata });
    for (let n = 1; refused.status === 201; n += 1) {
      kept.push(`n${n - 1}@example.com`);
      refused = await list.signup({ email: `n${n}@example.com`, metadata });
    }
    assertError(refused, 503, 'unavailable');
    assert.ok(service.log.some((line) => line.includes('is full')));
    const ready = async () => (await service.request('GET', '/readyz')).status;
    assert.equal(await eventually(ready, (status) => status === 503), 503);
    rmSync(ballast);
    assert.equal(await eventually(ready, (status) => status === 200), 200);
    assert.equal((await list.signup({ email: 'after@example.com', metadata })).status, 201);
    const emails = (await list.walk()).map(({ email }) => email);
    assert.deepEqual(emails, [...kept, 'after@example.com']);
  } finally {
    await service.close();
    await remove();
  }
});
