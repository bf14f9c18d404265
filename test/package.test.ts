import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { buildProgram, PROGRAM_DIRECTORY } from '../build/program.ts';
import manifest from '../package.json' with { type: 'json' };
import { CONTENTS } from '../src/http/guides/contents.ts';
import { freePort } from './support/free-port.ts';
import { clientFor } from './support/harness.ts';
import { startProcess } from './support/process.ts';

const ROOT = path.join(import.meta.dirname, '..');
const MODULES = path.join(ROOT, 'node_modules');
const UNPACKED_BYTES_MAX = 20_000_000;
/** What every base for C++ programs has, such as gcr.io/distroless/cc-debian12. */
const IN_THE_BASE = /^(libc|libdl|libm|libpthread|libgcc_s|libstdc\+\+)\.so\.\d+$/;
const run = promisify(execFile);

interface Packed {
  filename: string;
  unpackedSize: number;
  files: { path: string }[];
}

describe('the package', () => {
  let directory: string;
  let packed: Packed;
  let installed: string;
  before(async () => {
    directory = mkdtempSync(path.join(tmpdir(), 'doorlist-package-'));
    await buildProgram(PROGRAM_DIRECTORY);
    const words = ['pack', '--json', '--ignore-scripts', '--pack-destination', directory];
    const { stdout } = await run('npm', words, { cwd: ROOT, maxBuffer: 16 * 1024 ** 2 });
    [packed] = JSON.parse(stdout) as [Packed];
    installed = install(directory);
    await run('tar', [
      '-xzf',
      path.join(directory, packed.filename),
      '-C',
      installed,
      '--strip-components=1',
    ]);
  });
  after(() => {
    rmSync(directory, { recursive: true, force: true });
    rmSync(PROGRAM_DIRECTORY, { recursive: true, force: true });
  });

  const doorlist = (...words: string[]) =>
    run(path.join(installed, 'bin/doorlist'), words, { cwd: directory, env: { PATH: process.env.PATH } });

  it('has the built program and the built dashboard, and no sources', () => {
    const names = packed.files.map((file) => file.path);
    for (const name of [
      'bin/doorlist',
      'dist/main.js',
      'dist/LICENSES.txt',
      'web/dist/index.html',
      'LICENSE',
      'docs/images/overview-light.webp',
      ...CONTENTS.flatMap(({ pages }) => pages.map(({ file }) => file)),
    ])
      assert.ok(names.includes(name), name);
    const unwanted = /^(src|web\/(?!dist)|test|bench|build|dev|node_modules)|\.ts$/;
    assert.deepEqual(
      names.filter((name) => unwanted.test(name)),
      [],
    );
    assert.ok(packed.unpackedSize < UNPACKED_BYTES_MAX, `${packed.unpackedSize} bytes`);
  });

  it('contains the licence of every package whose code it contains', () => {
    const text = readFileSync(path.join(installed, 'dist/LICENSES.txt'), 'utf8');
    for (const name of ['fastify', 'kysely', 'typebox', 'pg', 'pino', 'undici'])
      assert.match(text, new RegExp(`^${name} \\d`, 'm'));
    assert.doesNotMatch(text, /Licensed as undefined/);
  });

  it('runs commands where it is installed, in an empty directory', async () => {
    assert.equal((await doorlist('--version')).stdout.trim(), manifest.version);
    await doorlist('migrate');
    await doorlist('waitlist', 'create', 'wl_acme', '--name', 'Acme');
    assert.match((await doorlist('waitlist', 'list')).stdout, /wl_acme/);
    assert.ok(readdirSync(directory).includes('data'));
  });

  it('does not load the HTTP client of Node to start', async () => {
    const list = path.join(directory, 'loaded.json');
    const preload = path.join(directory, 'preload.cjs');
    const report = `require('node:fs').writeFileSync(${JSON.stringify(list)}, JSON.stringify(process.moduleLoadList))`;
    writeFileSync(
      preload,
      `if (require('worker_threads').isMainThread) process.on('exit', () => ${report});`,
    );
    const environment = {
      DOORLIST_DATA_DIR: path.join(directory, 'light'),
      NODE_OPTIONS: `--require=${preload}`,
    };
    const server = await startProcess(environment, { script: path.join(installed, 'dist/main.js') });
    await server.stop();
    const loaded = JSON.parse(readFileSync(list, 'utf8')) as string[];
    assert.ok(loaded.includes('NativeModule http'));
    assert.ok(!loaded.includes('NativeModule internal/deps/undici/undici'));
  });

  it('is laid out for an image with the libraries that its base lacks', {
    skip: process.platform !== 'linux' && 'images are for Linux',
  }, async () => {
    const image = path.join(directory, 'image');
    await run(process.execPath, [path.join(ROOT, 'build/container.ts'), image]);
    const env = { PATH: process.env.PATH, LD_LIBRARY_PATH: path.join(image, 'usr/local/lib') };
    const { stdout } = await run('ldd', [path.join(image, 'usr/local/bin/node')], { env });
    const found = [...stdout.matchAll(/^\s*(\S+) => (\S+)/gm)].map(([, name = '', file = '']) => ({
      name,
      file,
    }));
    assert.ok(found.some(({ name }) => name === 'libc.so.6'));
    const missing = found.filter(({ name, file }) => !IN_THE_BASE.test(name) && !file.startsWith(image));
    assert.deepEqual(missing, []);
    const dockerfile = readFileSync(path.join(ROOT, 'Dockerfile'), 'utf8');
    assert.match(dockerfile, /^COPY --from=build \/image\/usr\/local\/ \/usr\/local\/$/m);
    assert.match(dockerfile, /^ENV .*\bLD_LIBRARY_PATH=\/usr\/local\/lib$/m);

    const [, options = ''] = /^ENV .*\bNODE_OPTIONS=(\S+)/m.exec(dockerfile) ?? [];
    assert.match(options, /^--max-semi-space-size=\d+$/);
    const inImage = (...words: string[]) => {
      const command = path.join(image, 'usr/local/bin/doorlist');
      // As the system reads it: the rest of the line is one word.
      const [, program = '', rest = ''] = /^#!(\S+) (.*)\n/.exec(readFileSync(command, 'utf8')) ?? [];
      return run(path.join(image, program), [rest, command, ...words], {
        env: { ...env, NODE_OPTIONS: options },
      });
    };
    const variables = path.join(directory, 'image.env');
    writeFileSync(variables, `DOORLIST_DATA_DIR=${path.join(directory, 'in image')}\n`);
    await inImage('--env-file', variables, 'migrate');
    assert.equal((await inImage('waitlist', 'list', '--env-file', variables, '--json')).stdout, '[]\n');
    await assert.rejects(inImage('waitlist', 'list', '--env-file', '/nowhere.env'), {
      code: 75,
      stderr: 'doorlist: /nowhere.env, named by --env-file, does not exist\n',
    });

    const check = (environment: Record<string, string>) =>
      run(process.execPath, [path.join(image, 'app/health-check.ts')], { env: environment }).then(
        () => 'well',
        () => 'unwell',
      );
    const script = path.join(image, 'app/dist/main.js');
    for (const HOST of ['127.0.0.2', '::1', '0.0.0.0']) {
      const PORT = String(await freePort());
      const environment = { HOST, PORT, DOORLIST_DATA_DIR: path.join(directory, `at ${HOST}`) };
      assert.equal(await check(environment), 'unwell', HOST);
      const server = await startProcess(environment, { script });
      assert.equal(await check(environment), 'well', HOST);
      await server.stop();
    }
  });

  it('serves the API, the dashboard and the form, and prints commands that exist there', async () => {
    const environment = { DOORLIST_DATA_DIR: path.join(directory, 'other') };
    const server = await startProcess(environment, { script: path.join(installed, 'dist/main.js') });
    try {
      const { request } = clientFor(server.url);
      for (const page of ['/readyz', '/sign-in', '/form.js', '/docs', '/docs/client', '/openapi.json'])
        assert.equal((await request('GET', page)).status, 200, page);
      const { text } = await request('GET', '/docs/queue.md');
      assert.match(text, /^npx doorlist waitlist update wl_acme --boost 10$/m);
      assert.match(server.output(), /^ {2}npx doorlist waitlist create /m);
      const { text: page } = await request('GET', '/sign-in', { headers: { accept: 'text/html' } });
      assert.match(page, /<meta name="command" content="npx doorlist"/);
      const { text: webhooks } = await request('GET', '/docs/webhooks.md');
      assert.match(webhooks, /^DOORLIST_WEBHOOK_ALLOW=127\.0\.0\.1 npx doorlist serve$/m);
      const { text: dashboard } = await request('GET', '/docs/dashboard.md');
      assert.match(dashboard, /^npx doorlist demo$/m);
      assert.match(dashboard, /`npx doorlist demo --fresh`/);
    } finally {
      assert.equal((await server.stop()).code, 0);
    }
  });
});

/** Beside what npm would have installed with it. */
function install(directory: string): string {
  const modules = path.join(directory, 'node_modules');
  const installed = path.join(modules, 'doorlist');
  mkdirSync(installed, { recursive: true });
  writeFileSync(path.join(directory, 'package.json'), '{}\n'); // As `npm install` does in an empty directory.
  const optional = Object.keys(manifest.optionalDependencies).filter((name) =>
    readdirSync(MODULES).includes(name),
  );
  for (const name of [...Object.keys(manifest.dependencies), ...optional]) {
    mkdirSync(path.dirname(path.join(modules, name)), { recursive: true });
    symlinkSync(path.join(MODULES, name), path.join(modules, name));
  }
  return installed;
}
