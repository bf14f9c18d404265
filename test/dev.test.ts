import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { it } from 'node:test';
import { afterTest } from './support/cleanup.ts';
import { until } from './support/webhooks.ts';

const ROOT = path.join(import.meta.dirname, '..');
/** What it needs of a checkout, whose files the test can then change. */
const COPIED = ['bin', 'dev', 'src', 'web', 'package.json', 'package-lock.json', 'docs'];
const TIMEOUT_MS = 300_000;

it('npm run dev serves the dashboard from its sources, restarts the server after a change, and ends both', {
  timeout: TIMEOUT_MS,
}, async () => {
  const checkout = copyCheckout();
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  afterTest(() => taken.close());
  const { port } = taken.address() as AddressInfo;

  const { child, output } = startDev(checkout, port);
  const starts = () => output().match(/The server is ready\./g)?.length ?? 0;
  await until('the server is ready', () => starts() === 1 || child.exitCode !== null);
  assert.match(output(), new RegExp(`Port ${port} is in use\\. The server uses \\d+\\.`));
  const [, dashboard = ''] = /^Dashboard: (http:\S+)/m.exec(output()) ?? [];
  const [, server = ''] = /^Server: +(http:\S+)/m.exec(output()) ?? [];
  assert.match(output(), new RegExp(`^Create the owner's account: ${dashboard}/setup/`, 'm'));
  assert.ok(existsSync(path.join(checkout, 'data/doorlist.db')));
  assert.equal(existsSync(path.join(checkout, 'web/dist')), false, 'nothing is built');

  for (const page of ['/', '/setup', '/sign-in', '/waitlists/wl_acme?env=production'])
    assert.match((await get(dashboard, page)).text, /@vite\/client/, page);
  for (const answered of ['/healthz', '/docs', '/form.js', '/admin/v1/session', '/setup/unknown']) {
    const { status, text } = await get(dashboard, answered);
    assert.equal(status, (await get(server, answered)).status, answered);
    assert.doesNotMatch(text, /@vite\/client/, answered);
  }

  appendFileSync(path.join(checkout, 'src/lib/root.ts'), '\n');
  await until('the server is ready again', () => starts() === 2);
  assert.equal((await get(dashboard, '/healthz')).status, 200);

  child.kill('SIGINT');
  child.kill('SIGINT'); // As npm does after the terminal.
  const [code] = await once(child, 'close');
  assert.equal(code, 0, output());
  for (const url of [dashboard, server]) await assert.rejects(get(url, '/healthz'), TypeError, url);
});

function copyCheckout(): string {
  const checkout = mkdtempSync(path.join(tmpdir(), 'doorlist-dev-'));
  afterTest(() => rmSync(checkout, { recursive: true, force: true }));
  const filter = (file: string) => file !== path.join(ROOT, 'web/dist');
  for (const name of COPIED)
    cpSync(path.join(ROOT, name), path.join(checkout, name), { recursive: true, filter });
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(checkout, 'node_modules'));
  return checkout;
}

function startDev(cwd: string, port: number): { child: ChildProcess; output(): string } {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, ['dev/run.ts'], {
    cwd,
    env: { PATH, HOME, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  afterTest(() => child.kill('SIGTERM'));
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text));
  return { child, output: () => said };
}

async function get(origin: string, at: string): Promise<{ status: number; text: string }> {
  const response = await fetch(origin + at, { headers: { accept: 'text/html', connection: 'close' } });
  return { status: response.status, text: await response.text() };
}
