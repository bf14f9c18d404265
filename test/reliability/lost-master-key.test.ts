import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { generateMasterKey } from '../../src/vault/master-key.ts';
import { adminClient } from '../support/admin.ts';
import { afterTest } from '../support/cleanup.ts';
import { forEachEngine, startService } from '../support/harness.ts';
import { runHere } from '../support/terminal.ts';

forEachEngine((engine) => {
  describe('a server whose master key file is lost', () => {
    it('keeps serving from memory, and its health says what would happen at the next start', async () => {
      const service = await startService(engine);
      afterTest(service.close);
      const { environment, dataDir } = service.storage;
      const admin = await adminClient(service, 'admin');
      const list = await service.waitlist();
      const file = path.join(dataDir, 'master.key');
      const aside = `${file}.aside`;
      const health = async () => {
        const { status, body } = await admin.get<{
          findings: { what: string; level: string; detail: string }[];
        }>('/health');
        assert.equal(status, 200, JSON.stringify(body));
        return body.findings.find(({ what }) => what === 'master key');
      };
      const isTold = async (reason: RegExp) => {
        const { level, detail = '' } = (await health()) ?? {};
        assert.equal(level, 'problem', detail);
        assert.match(detail, reason);
        assert.match(
          detail,
          /The running server has the key in memory, and cannot start again without the file/,
        );
        for (const command of ['status', 'doctor']) {
          const { code, stdout } = await runHere(environment, command);
          assert.equal(code, 1);
          assert.match(stdout, /^WRONG {2}master key: /m);
        }
      };
      assert.notEqual((await health())?.level, 'problem');

      renameSync(file, aside);
      await isTold(/master\.key is missing\./);
      assert.match(
        (await runHere(environment, 'doctor')).stdout,
        /^WRONG {2}master key file: .* does not exist$/m,
      );
      mkdirSync(file); // As Docker does for a file to mount that does not exist.
      await isTold(/master\.key does not hold a master key/);
      rmdirSync(file);
      writeFileSync(file, generateMasterKey(), { mode: 0o600 });
      await isTold(/master\.key holds another key than the database has\./);
      assert.equal((await service.request('GET', '/readyz')).status, 200);
      assert.equal((await list.signup({ email: 'ada@example.com' })).status, 201);

      rmSync(file);
      renameSync(aside, file);
      assert.notEqual((await health())?.level, 'problem');
    });
  });
});
