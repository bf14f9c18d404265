import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import { ERRORS_FILE_BYTES_MAX, openErrorsFile } from './errors-file.ts';

const directory = mkdtempSync(path.join(tmpdir(), 'doorlist-errors-'));
after(() => rmSync(directory, { recursive: true, force: true }));

describe('the file of bad rows', () => {
  it('stops growing when it is full, and says so in its last line', async () => {
    const file = path.join(directory, 'bad.jsonl');
    const problems = Array.from({ length: 50_000 }, (_, line) => ({
      line,
      field: 'email',
      reason: 'not an email address',
    }));
    const errors = await openErrorsFile(file, 0);
    let size = 0;
    try {
      for (let chunk = 0; chunk < 6; chunk += 1) size = await errors.append(problems);
    } finally {
      await errors.close();
    }
    const lines = readFileSync(file, 'utf8').trim().split('\n');
    assert.ok(size < ERRORS_FILE_BYTES_MAX + 1_000);
    assert.match(JSON.parse(lines.at(-1) ?? '').reason, /full/);
    assert.ok(lines.length < 6 * problems.length);
    const again = await openErrorsFile(file, size);
    try {
      assert.equal(await again.append(problems), size);
    } finally {
      await again.close();
    }
  });
});
