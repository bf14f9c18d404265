import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { freePort } from '../support/free-port.ts';

const ROOT = path.join(import.meta.dirname, '../..');

/** As after `npm ci --omit=dev`: a checkout without Vite and Rolldown. */
describe('a checkout without development packages', () => {
  let checkout: string;
  before(() => {
    checkout = mkdtempSync(path.join(tmpdir(), 'doorlist-checkout-'));
    for (const place of ['bin', 'build', 'src', 'package.json', 'package-lock.json', 'web/index.html'])
      cpSync(path.join(ROOT, place), path.join(checkout, place), { recursive: true });
    mkdirSync(path.join(checkout, 'node_modules'));
    for (const name of readdirSync(path.join(ROOT, 'node_modules'))) {
      if (name === 'vite' || name === 'rolldown' || name.startsWith('.')) continue;
      symlinkSync(path.join(ROOT, 'node_modules', name), path.join(checkout, 'node_modules', name));
    }
  });
  after(() => rmSync(checkout, { recursive: true, force: true }));

  /** What it prints and answers, after a start by the launcher. */
  const start = async () => {
    const port = await freePort();
    const { PATH = '', HOME = '', NODE_COMPILE_CACHE = '' } = process.env;
    const env = { PATH, HOME, NODE_COMPILE_CACHE, PORT: String(port) };
    const server = spawn(path.join(checkout, 'bin/doorlist'), ['serve'], { cwd: checkout, env });
    let printed = '';
    await new Promise<void>((resolve, reject) => {
      server.stderr.on('data', (text) => {
        printed += text;
        if (printed.includes('Create a ')) resolve();
      });
      server.once('exit', () => reject(new Error(printed)));
    });
    const get = async (place: string) => {
      const answer = await fetch(`http://127.0.0.1:${port}${place}`, { headers: { accept: 'text/html' } });
      return { status: answer.status, text: await answer.text() };
    };
    const answers = { ready: await get('/readyz'), page: await get('/sign-in') };
    server.kill();
    await once(server, 'exit');
    return { printed, ...answers };
  };

  it('says at the start, on the page and in /readyz which command builds the dashboard', async () => {
    const { printed, ready, page } = await start();
    assert.match(printed, /^Dashboard: not built, .*`npm ci --include=dev && npm run build`\.$/m);
    assert.deepEqual(JSON.parse(ready.text), { status: 'ok', dashboard: 'not_built' });
    assert.equal(page.status, 503);
    assert.match(page.text, /npm ci --include=dev &amp;&amp; npm run build/);
  });

  it('serves the dashboard that was built before', async () => {
    const built = path.join(ROOT, 'web/dist');
    assert.ok(existsSync(built));
    cpSync(built, path.join(checkout, 'web/dist'), { recursive: true });
    const { printed, ready, page } = await start();
    assert.match(printed, /^Dashboard: http:/m);
    assert.deepEqual(JSON.parse(ready.text), { status: 'ok' });
    const index = readFileSync(path.join(built, 'index.html'), 'utf8');
    assert.equal(page.text, index.replaceAll('"./assets/', '"/assets/'));
  });
});
