import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { it } from 'node:test';
import { commandFor, startFor } from './root.ts';

it('commands are named as the way of installing has them', (test) => {
  const directory = mkdtempSync(path.join(tmpdir(), 'doorlist-root-'));
  test.after(() => rmSync(directory, { recursive: true, force: true }));
  const script = path.join(directory, 'dist/main.js');
  const named = (root: string, start = script) => {
    const command = commandFor(root, start);
    return [command, startFor(command)];
  };
  assert.deepEqual(named('/srv/doorlist'), ['npm run -s doorlist --', 'npm start'], 'a checkout');
  assert.deepEqual(named('/app', '/usr/local/bin/doorlist'), ['doorlist', 'doorlist serve'], 'a container');
  const installed = path.join(directory, 'node_modules/doorlist');
  assert.deepEqual(named(installed), ['doorlist', 'doorlist serve'], 'a package of the machine');
  writeFileSync(path.join(directory, 'package.json'), '{}');
  assert.deepEqual(named(installed), ['npx doorlist', 'npx doorlist serve'], 'a package of a project');
  const nested = path.join(directory, 'node_modules/.pnpm/doorlist@0.1.0/node_modules/doorlist');
  assert.deepEqual(named(nested), ['npx doorlist', 'npx doorlist serve'], 'with pnpm');
});
