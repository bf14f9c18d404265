import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { startService } from './support/harness.ts';
import { without } from './support/programs.ts';
import { LOOPBACK } from './support/webhooks.ts';

const ROOT = path.join(import.meta.dirname, '..');
const shell = promisify(execFile);

describe('the guide to automation', () => {
  const skip = without('curl', 'jq');
  it('shows commands that work in order and print what it says', { skip }, async (test) => {
    const page = readFileSync(path.join(ROOT, 'docs/automation.md'), 'utf8');
    const steps = [...page.matchAll(/```sh\n([^`]*)```(?:\n\n```text\n([^`]*)```)?/g)];
    assert.ok(steps.length >= 10);
    const service = await startService('sqlite', { environment: LOOPBACK, startAt: Date.now() });
    test.after(() => service.close());
    const script = steps
      .map(
        ([, command = '', printed = '']) =>
          `${command}echo; echo '=> ${printed.trim().replaceAll('\n', ' ')}'\n`,
      )
      .join('')
      .replaceAll('http://127.0.0.1:3000', service.url)
      .replaceAll('https://app.example.com', 'http://127.0.0.1:9') // Never called: nothing is delivered here.
      .replaceAll('npm run -s doorlist --', `'${process.execPath}' src/main.ts`);
    const { stdout } = await shell('sh', ['-euc', script], {
      cwd: ROOT,
      env: { ...process.env, ...service.storage.environment, ...LOOPBACK },
    });
    const lines = stdout.split('\n').filter((line) => line !== '');
    let printed: string[] = [];
    for (const line of lines) {
      if (!line.startsWith('=> ')) printed.push(line);
      else {
        assert.equal(printed.join(' '), line.slice(3));
        printed = [];
      }
    }
  });
});
