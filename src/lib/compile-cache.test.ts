import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import { privateDirectory } from './compile-cache.ts';

const MAIN = path.join(import.meta.dirname, '../main.ts');
const NAME = `doorlist-compiled-${process.getuid?.()}`;
const NOBODY = 65_534;

describe('the cache of compiled code', () => {
  const made: string[] = [];
  const parent = () => {
    const directory = mkdtempSync(path.join(tmpdir(), 'doorlist-cache-test-'));
    made.push(directory);
    return directory;
  };
  after(() => {
    for (const directory of made) rmSync(directory, { recursive: true, force: true });
  });
  const run = (TMPDIR: string, environment: Record<string, string> = {}) => {
    const { PATH = '', HOME = '' } = process.env;
    const env = { PATH, HOME, TMPDIR, ...environment };
    const { status, stderr } = spawnSync(process.execPath, [MAIN, '--version'], { env, encoding: 'utf8' });
    assert.equal(status, 0, stderr);
  };

  it('is a directory that only its owner can open', () => {
    const directory = parent();
    run(directory);
    assert.deepEqual(readdirSync(directory), [NAME]);
    assert.equal(statSync(path.join(directory, NAME)).mode & 0o777, 0o700);
    assert.notDeepEqual(readdirSync(path.join(directory, NAME)), []);
  });

  it('is where the operator wants it', () => {
    const [directory, wanted] = [parent(), parent()];
    run(directory, { NODE_COMPILE_CACHE: wanted });
    assert.deepEqual(readdirSync(directory), []);
    assert.notDeepEqual(readdirSync(wanted), []);
  });

  it('is not used if others can write to it', () => {
    const directory = parent();
    mkdirSync(path.join(directory, NAME));
    chmodSync(path.join(directory, NAME), 0o777);
    run(directory);
    assert.deepEqual(readdirSync(path.join(directory, NAME)), []);
    assert.equal(privateDirectory(directory), undefined);
  });

  it('is not used if it is a link', () => {
    const [directory, elsewhere] = [parent(), parent()];
    symlinkSync(elsewhere, path.join(directory, NAME));
    assert.equal(privateDirectory(directory), undefined);
  });

  it('is not used if others can replace it', () => {
    const directory = parent();
    chmodSync(directory, 0o777);
    assert.equal(privateDirectory(directory), undefined);
    chmodSync(directory, 0o1777);
    assert.equal(privateDirectory(directory), path.join(directory, NAME));
  });

  it('is not used if somebody else owns it', { skip: process.getuid?.() !== 0 && 'needs root' }, () => {
    const directory = parent();
    mkdirSync(path.join(directory, NAME), { mode: 0o700 });
    chownSync(path.join(directory, NAME), NOBODY, NOBODY);
    assert.equal(privateDirectory(directory), undefined);
  });

  it('is left out where nothing can be written', () => {
    const missing = path.join(parent(), 'missing');
    assert.equal(privateDirectory(missing), undefined);
    run(missing);
    assert.equal(existsSync(missing), false);
  });
});
