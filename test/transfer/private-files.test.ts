import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { type List, type Service, startService } from '../support/harness.ts';
import { command } from '../support/terminal.ts';

describe('among the files that commands write,', () => {
  let service: Service;
  let list: List;
  let directory: string;
  before(async () => {
    service = await startService('sqlite');
    list = await service.waitlist();
    await list.signup({ email: 'ada@example.com' });
  });
  after(() => service.close());
  beforeEach(() => {
    directory = mkdtempSync(path.join(tmpdir(), 'doorlist-test-'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  const modeOf = (file: string) => statSync(file).mode & 0o777;
  const run = (...words: string[]) => command(service.storage.environment, ...words, '--waitlist', list.id);

  it('an export is readable only by its owner, whatever exists under its temporary name', async () => {
    const out = path.join(directory, 'people.csv');
    writeFileSync(`${out}.part`, 'prepared');
    chmodSync(`${out}.part`, 0o666);
    assert.equal((await run('export', '--out', out)).code, 0);
    assert.equal(modeOf(out), 0o600);
    assert.match(readFileSync(out, 'utf8'), /ada@example\.com/);
  });

  it('an export does not follow a planted symbolic link', async () => {
    const out = path.join(directory, 'people.csv');
    const elsewhere = path.join(directory, 'elsewhere');
    writeFileSync(elsewhere, 'mine');
    symlinkSync(elsewhere, `${out}.part`);
    assert.equal((await run('export', '--out', out)).code, 0);
    assert.equal(readFileSync(elsewhere, 'utf8'), 'mine');
    assert.equal(modeOf(out), 0o600);
  });

  it('the file of bad rows of an import is readable only by its owner', async () => {
    const file = path.join(directory, 'people.csv');
    const errors = path.join(directory, 'errors.jsonl');
    writeFileSync(file, 'email\nnonsense\n');
    writeFileSync(errors, 'prepared');
    chmodSync(errors, 0o666);
    await run('import', file, '--errors', errors);
    assert.equal(modeOf(errors), 0o600);
    assert.doesNotMatch(readFileSync(errors, 'utf8'), /prepared/);
  });
});
