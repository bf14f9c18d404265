import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { createKey } from '../../src/waitlist/keys/server-keys.ts';
import { createWaitlist } from '../../src/waitlist/settings/waitlists.ts';
import { type Service, startService } from '../support/harness.ts';
import { type ProgramName, without } from '../support/programs.ts';
import { snippets } from './read-snippets.ts';

const run = promisify(execFile);

describe('the snippets for a backend', () => {
  let service: Service;
  let directory: string;
  let environment: Record<string, string | undefined>;
  before(async () => {
    service = await startService('sqlite', { startAt: Date.now() });
    directory = mkdtempSync(path.join(tmpdir(), 'doorlist-snippets-'));
    await createWaitlist(service.context, { id: 'wl_acme', name: 'Acme' });
    const key = { waitlistId: 'wl_acme', environment: 'production', canRead: false, expiresAt: null };
    const { key: secret } = await createKey(service.context, key);
    environment = { ...process.env, DOORLIST_URL: service.url, DOORLIST_KEY: secret };
  });
  after(async () => {
    await service.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const PROGRAMS: Record<string, { needs?: ProgramName; file: string; command: string[] }> = {
    curl: { needs: 'curl', file: 'signup.sh', command: ['sh'] },
    'Node.js': { file: 'signup.mjs', command: [process.execPath] },
    Python: { needs: 'Python', file: 'signup.py', command: ['python3'] },
    Go: { needs: 'Go', file: 'signup.go', command: ['go', 'run'] },
  };
  for (const [heading, { needs, file, command }] of Object.entries(PROGRAMS)) {
    it(`work: ${heading}`, { skip: needs !== undefined && without(needs) }, async () => {
      const [tool = '', ...words] = command;
      const program = path.join(directory, file);
      writeFileSync(program, snippets(heading)[0] ?? '');
      const { stdout } = await run(tool, [...words, program], { env: environment });
      const { success, created, skipped } = JSON.parse(stdout);
      assert.deepEqual([success, created + skipped], [true, 1]);
      if (heading === 'curl') return;
      const bad = { ...environment, DOORLIST_KEY: 'wrong' };
      await assert.rejects(
        run(tool, [...words, program], { env: bad }),
        'a refusal is not taken for success',
      );
    });
  }
});
