import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { formatId } from '../../src/lib/ids.ts';
import { afterTest } from '../support/cleanup.ts';
import { forEachEngine, type List, type Service, startService } from '../support/harness.ts';
import { command } from '../support/terminal.ts';

const BAD_ROWS = 300;
const BAD_FILE = `email,note\n${'nonsense,"some more text"\n'.repeat(BAD_ROWS)}`;

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

  const importBad = (...words: string[]) => {
    const file = path.join(directory, 'bad.csv');
    writeFileSync(file, BAD_FILE);
    return run('import', file, ...words);
  };
  const linesIn = (text: string) => text.trimEnd().split('\n').length;

  it('a link to a file stays a link, and the file is replaced', async () => {
    const linked = (name: string) => {
      const target = path.join(directory, `target-${name}`);
      writeFileSync(target, 'prepared', { mode: 0o666 });
      symlinkSync(target, path.join(directory, name));
      return { link: path.join(directory, name), target };
    };
    const [out, errors, badRows] = ['people.csv', 'errors.jsonl', 'bad-rows.csv'].map(linked);
    assert.ok(out && errors && badRows);
    assert.equal((await run('export', '--out', out.link)).code, 0);
    assert.equal((await importBad('--errors', errors.link, '--bad-rows', badRows.link)).code, 0);
    for (const { link, target } of [out, errors, badRows]) {
      assert.ok(lstatSync(link).isSymbolicLink(), link);
      assert.equal(modeOf(target), 0o600);
      assert.doesNotMatch(readFileSync(target, 'utf8'), /prepared/);
    }
    assert.match(readFileSync(out.target, 'utf8'), /ada@example\.com/);
    assert.equal(linesIn(readFileSync(errors.target, 'utf8')), BAD_ROWS);
    assert.equal(linesIn(readFileSync(badRows.target, 'utf8')), BAD_ROWS + 1);
  });

  it('a pipe is written to, and stays a pipe', async () => {
    const pipe = (name: string) => {
      const file = path.join(directory, name);
      assert.equal(spawnSync('mkfifo', [file]).status, 0);
      const reader = spawn('cat', [file]);
      afterTest(() => reader.kill());
      return { file, read: reader.stdout.setEncoding('utf8').toArray() };
    };
    const out = pipe('out');
    assert.equal((await run('export', '--out', out.file)).code, 0);
    assert.ok(statSync(out.file).isFIFO());
    assert.match((await out.read).join(''), /ada@example\.com/);
    const [errors, badRows] = [pipe('errors'), pipe('bad-rows')];
    const { code } = await importBad('--errors', errors.file, '--bad-rows', badRows.file);
    assert.equal(code, 0);
    for (const { file } of [errors, badRows]) assert.ok(statSync(file).isFIFO(), file);
    assert.equal(linesIn((await errors.read).join('')), BAD_ROWS);
    assert.equal(linesIn((await badRows.read).join('')), BAD_ROWS + 1);
    assert.deepEqual(readdirSync(directory).sort(), ['bad-rows', 'bad.csv', 'errors', 'out']);
  });

  it('a device is written to, and stays a device', async (test) => {
    const device = path.join(directory, 'null'); // Like /dev/null, which a mistake would remove.
    const made = spawnSync('sh', ['-c', 'mknod "$1" c 1 3 && echo > "$1"', 'sh', device]);
    if (made.status !== 0) return test.skip('needs a file system where this user may create devices');
    assert.equal((await run('export', '--out', device)).code, 0);
    assert.equal((await importBad('--errors', device)).code, 0);
    assert.equal((await importBad('--bad-rows', device)).code, 0);
    assert.ok(statSync(device).isCharacterDevice());
  });

  it('a directory and a link to nothing are refused, before anything is imported', async () => {
    const folder = path.join(directory, 'folder');
    mkdirSync(folder);
    const link = path.join(directory, 'link');
    symlinkSync(path.join(directory, 'nothing'), link);
    for (const [target, reason] of [
      [folder, 'it is a directory'],
      [link, 'it is a link to a file that does not exist'],
    ] as const) {
      const message = `doorlist: cannot write ${target}: ${reason}`;
      for (const refused of [
        await run('export', '--out', target),
        await importBad('--errors', target),
        await importBad('--bad-rows', target),
      ])
        assert.deepEqual([refused.code, refused.error], [1, message]);
    }
    assert.deepEqual(readdirSync(directory).sort(), ['bad.csv', 'folder', 'link']);
  });

  it('no two are the same file', async () => {
    const file = path.join(directory, 'bad.csv');
    const link = path.join(directory, 'link');
    symlinkSync(file, link);
    const list = path.join(directory, 'list');
    for (const [words, message] of [
      [['--errors', list, '--bad-rows', list], '--bad-rows: must not be the same file as --errors'],
      [['--bad-rows', `${file}.errors.jsonl`], '--bad-rows: must not be the same file as --errors'],
      [['--errors', link], '--errors: must not be the imported file'],
      [['--bad-rows', link], '--bad-rows: must not be the imported file'],
    ] as const) {
      const refused = await importBad(...words);
      assert.deepEqual([refused.code, refused.error], [1, `doorlist: ${message}`]);
    }
    assert.equal(readFileSync(file, 'utf8'), BAD_FILE);
    assert.deepEqual(readdirSync(directory).sort(), ['bad.csv', 'link']);
  });
});

forEachEngine((engine) => {
  it('an import whose list of bad rows does not fit on the disk says so, and can be resumed', async (test) => {
    const directory = mkdtempSync(path.join(tmpdir(), 'doorlist-test-'));
    afterTest(() => rmSync(directory, { recursive: true, force: true }));
    const small = path.join(directory, 'small');
    mkdirSync(small);
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', small]).status !== 0)
      return test.skip('needs a small file system, and only root may mount one');
    afterTest(() => spawnSync('umount', [small]));
    const ballast = path.join(small, 'ballast');
    writeFileSync(ballast, Buffer.alloc(60 * 1024));
    const service = await startService(engine);
    afterTest(() => service.close());
    const list = await service.waitlist();
    const file = path.join(directory, 'people.csv');
    writeFileSync(file, BAD_FILE);
    appendFileSync(file, 'ada@example.com,\n');
    const rows = path.join(small, 'rows.csv');
    const words = ['import', file, '--waitlist', list.id];
    const full = await command(service.storage.environment, ...words, '--bad-rows', rows);
    assert.deepEqual([full.code, full.error], [1, `doorlist: cannot write ${rows}: no space left on device`]);
    rmSync(ballast);
    const { body } = await list.page();
    assert.equal(body.total, 0);
    const job = await service.context.db.query.selectFrom('job').select('id').executeTakeFirstOrThrow();
    const resumed = await command(
      service.storage.environment,
      ...[...words, '--resume', formatId('job', job.id)],
    );
    assert.equal(resumed.code, 0, resumed.error);
    assert.deepEqual([resumed.json.failed, resumed.json.created], [BAD_ROWS, 1]);
    assert.equal(readFileSync(rows, 'utf8').trimEnd().split('\n').length, BAD_ROWS + 1);
  });
});
