import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isStandardOutput } from './files.ts';

it('knows the names of standard output, which are no files', () => {
  for (const name of ['/dev/stdout', '/dev/fd/1', '/proc/self/fd/1']) assert.ok(isStandardOutput(name), name);
  for (const name of ['/dev/stderr', '/dev/fd/10', 'stdout', '/dev/stdout.csv'])
    assert.ok(!isStandardOutput(name), name);
});
