import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { forEachEngine, type Service, startService } from './support/harness.ts';
import { printedCommand } from './support/printed-command.ts';
import { runCommand } from './support/process.ts';
import { typed } from './support/terminal.ts';

const ENVIRONMENTS = ['production', 'development'];

forEachEngine((engine) => {
  describe('a command that another one prints works as printed', () => {
    let service: Service;
    let directory: string;
    before(async () => {
      service = await startService(engine);
      directory = mkdtempSync(path.join(tmpdir(), 'doorlist-test-'));
    });
    after(async () => {
      await service.close();
      rmSync(directory, { recursive: true });
    });
    const type = async (...words: string[]) => {
      const { code, out, error } = await typed(service.storage.environment, ...words);
      assert.deepEqual([code, error], [0, ''], words.join(' '));
      return out;
    };

    for (const environment of ENVIRONMENTS) {
      it(`after an import into ${environment}`, async () => {
        const { id } = await service.waitlist();
        const file = path.join(directory, `people of the ${environment}'s.csv`);
        writeFileSync(file, 'email\nada@example.com\n');
        const words = ['import', file, '--waitlist', id, '--env', environment];
        const imported = await runCommand(service.storage.environment, ...words);
        assert.equal(await type(...printedCommand(imported.stdout)), 'Undone: removed 1 person.');
        // It is not interrupted here. That is all the command has to say against it.
        const resumed = await typed(service.storage.environment, ...printedCommand(imported.stderr));
        assert.match(resumed.error, /^doorlist: there is no unfinished job job_/);
      });

      it(`after invites in ${environment}`, async () => {
        const { id } = await service.waitlist();
        const scope = ['--waitlist', id, '--env', environment];
        const file = path.join(directory, 'invited.csv');
        writeFileSync(file, 'email\nada@example.com\n');
        await type('import', file, ...scope);
        const invited = await type('invite', 'first', '1', ...scope);
        assert.match(await type(...printedCommand(invited)), /ada@example\.com/);
      });
    }
  });
});
