import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFile, cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import manifest from '../packages/client/package.json' with { type: 'json' };
import { operationOf } from './support/documented.ts';
import { startReferenceApp } from './support/reference-app.ts';

const ROOT = path.join(import.meta.dirname, '..');
const MODULES = path.join(ROOT, 'node_modules');
const CLIENTS = path.join(import.meta.dirname, 'clients');
/** Of TypeScript 7 and of TypeScript 5, which many projects still have. */
const COMPILERS = ['typescript/bin/tsc', 'oazapfts/node_modules/typescript/bin/tsc'];
const STRICT = {
  target: 'es2022',
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noEmit: true,
  skipDefaultLibCheck: true, // TypeScript's own libraries are not what is tested.
};
const BROWSER = { lib: ['es2022', 'dom', 'dom.asynciterable'], types: [] };
const NODE = { lib: ['es2022'], types: ['node'], typeRoots: [path.join(MODULES, '@types')] };
const PROJECTS = {
  'nodenext with the types of a browser': { ...STRICT, ...BROWSER, module: 'nodenext' },
  'node16 with the types of Node': { ...STRICT, ...NODE, module: 'node16', moduleResolution: 'node16' },
  'a bundler with the types of Node': { ...STRICT, ...NODE, module: 'esnext', moduleResolution: 'bundler' },
};
const COMMONJS_PROJECTS = {
  'node16 with the types of Node': PROJECTS['node16 with the types of Node'],
  'the resolution of older projects': { ...STRICT, ...NODE, module: 'commonjs', moduleResolution: 'node10' },
};
const run = promisify(execFile);

describe('the client package, packed and installed', () => {
  let directory: string;
  let files: string[];
  before(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'doorlist-package-'));
    const source = path.join(directory, 'source');
    const installed = path.join(directory, 'node_modules/@doorlist/client');
    await cp(path.join(ROOT, 'packages/client'), source, {
      recursive: true,
      filter: (file) => path.basename(file) !== 'dist',
    });
    const env = { ...process.env, PATH: `${MODULES}/.bin${path.delimiter}${process.env.PATH}` };
    await run('npm', ['pack', '--silent'], { cwd: source, env });
    const [tarball = ''] = (await readdir(source)).filter((name) => name.endsWith('.tgz'));
    await mkdir(installed, { recursive: true });
    await run('tar', ['-xzf', path.join(source, tarball), '--strip-components=1', '-C', installed]);
    files = (await readdir(installed, { recursive: true })).sort();
    await writeFile(path.join(directory, 'package.json'), '{"type":"module"}');
    for (const file of ['doorlist-client.mjs', 'doorlist-client-types.ts'])
      await copyFile(path.join(CLIENTS, file), path.join(directory, file));
    await writeFile(path.join(directory, 'readme.ts'), await readmeProgram());
    await mkdir(path.join(directory, 'commonjs'));
    await writeFile(path.join(directory, 'commonjs/package.json'), '{"type":"commonjs"}');
    await copyFile(
      path.join(CLIENTS, 'doorlist-client-types.ts'),
      path.join(directory, 'commonjs/doorlist-client-types.ts'),
    );
  });
  after(() => rm(directory, { recursive: true, force: true }));

  it('contains the built code, its types, the README and the license, and depends on nothing', () => {
    const modules = [
      'api',
      'auth-js',
      'better-auth',
      'client',
      'errors',
      'gate',
      'index',
      'send',
      'webhooks',
    ];
    const built = ['dist', 'dist/commonjs'].flatMap((folder) => [
      folder,
      ...modules.flatMap((name) => [`${folder}/${name}.d.ts`, `${folder}/${name}.js`]),
    ]);
    const others = ['dist/commonjs/package.json', 'LICENSE', 'README.md', 'package.json'];
    assert.deepEqual(files, [...built, ...others].sort());
    assert.equal('dependencies' in manifest, false);
  });

  for (const [name, compilerOptions] of Object.entries(PROJECTS)) {
    it(`has types that fit a strict project: ${name}`, async () => {
      const project = path.join(directory, 'tsconfig.json');
      // The README uses `process`, which only the types of Node have.
      const program = 'typeRoots' in compilerOptions ? ['readme.ts'] : [];
      const config = { compilerOptions, files: ['doorlist-client-types.ts', ...program] };
      await writeFile(project, JSON.stringify(config));
      for (const compiler of COMPILERS)
        await run(process.execPath, [path.join(MODULES, compiler), '--project', project]).catch((error) =>
          assert.fail(`${compiler}: ${error.stdout}${error.stderr}`),
        );
    });
  }

  for (const [name, compilerOptions] of Object.entries(COMMONJS_PROJECTS)) {
    it(`has types that fit a strict project in CommonJS: ${name}`, async () => {
      const project = path.join(directory, 'commonjs/tsconfig.json');
      await writeFile(project, JSON.stringify({ compilerOptions, files: ['doorlist-client-types.ts'] }));
      // TypeScript 7 has no `node10` any more.
      for (const compiler of compilerOptions.moduleResolution === 'node10' ? COMPILERS.slice(1) : COMPILERS)
        await run(process.execPath, [path.join(MODULES, compiler), '--project', project]).catch((error) =>
          assert.fail(`${compiler}: ${error.stdout}${error.stderr}`),
        );
    });
  }

  it('can be required, in every part, without the support of Node for modules that are required', async () => {
    const parts = Object.keys(manifest.exports).map((part) => part.replace('.', '@doorlist/client'));
    const program = `for (const part of ${JSON.stringify(parts)})
      console.log(require.resolve(part).split('/').slice(-2).join('/'), Object.keys(require(part)).sort().join());`;
    for (const node of await installedNodes()) {
      const { stdout } = await run(node, ['--eval', program], { cwd: path.join(directory, 'commonjs') });
      assert.equal(
        stdout,
        'commonjs/index.js DoorlistError,WebhookError,createClient,verifyWebhook\n' +
          'commonjs/gate.js NO_ANSWER,askGate\n' +
          'commonjs/better-auth.js doorlistGate\n' +
          'commonjs/auth-js.js gateSignIn\n',
      );
    }
  });

  it('works as the README shows', async () => {
    const { url, keys, close } = await startReferenceApp();
    try {
      const env = { ...process.env, DOORLIST_URL: url, DOORLIST_KEY: keys.reader };
      const { stdout } = await run(process.execPath, ['readme.ts'], { cwd: directory, env });
      assert.equal(stdout, '1 ada@example.com\nentries[0].email: not an email address\nada@example.com\n');
    } finally {
      await close();
    }
  });

  it('works on this version of Node, and on the others that are installed', async (test) => {
    const nodes = await installedNodes();
    for (const node of nodes) {
      const reference = await startReferenceApp();
      try {
        const { url, keys, codes, document } = reference;
        const example = operationOf(document, 'verifyWebhook').requestBody?.content['application/json'];
        const delivery = example?.examples.delivery?.value;
        const values = JSON.stringify({ url, key: keys.reader, code: codes.live, delivery });
        test.diagnostic(`with ${node}`);
        await run(node, [path.join(directory, 'doorlist-client.mjs'), values], { cwd: directory });
      } finally {
        await reference.close();
      }
    }
  });
});

/** Every example of the README in one program, which prints what they show. */
async function readmeProgram(): Promise<string> {
  const text = await readFile(path.join(ROOT, 'packages/client/README.md'), 'utf8');
  const [create = '', walk, look, fail = '', webhook = '', ...more] = [
    ...text.matchAll(/```ts\n(.*?)```/gs),
  ].map(([, code = '']) => code.replace("'https://waitlist.example.com'", 'process.env.DOORLIST_URL!'));
  assert.ok(webhook.includes('verifyWebhook') && more.length === 0);
  const [imports = '', attempt = ''] = fail.split(/\n\n/);
  return `${create}\n${imports}\n${webhook}
${walk}\n${look}
const showMessage = (message: string) => console.log(message);
async function attempt(email: string) {\n${attempt}}
await attempt('nonsense');
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
process.env.DOORLIST_WEBHOOK_SECRET = secret;
const body = JSON.stringify({ event: 'signup.created', data: { entry: { email: 'ada@example.com' } } });
const timestamp = String(Math.floor(Date.now() / 1000));
const bytes = (text: string) => new TextEncoder().encode(text);
const raw = Uint8Array.from(atob(secret.slice(6)), (character) => character.charCodeAt(0));
const key = await crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
const signed = await crypto.subtle.sign('HMAC', key, bytes(\`evt_1.\${timestamp}.\${body}\`));
const signature = \`v1,\${btoa(String.fromCharCode(...new Uint8Array(signed)))}\`;
const headers = { 'webhook-id': 'evt_1', 'webhook-timestamp': timestamp, 'webhook-signature': signature };
const response = await POST(new Request('https://acme.example', { method: 'POST', body, headers }));
if (created !== 1 || response.status !== 204) throw new Error('not as documented');
`;
}

/** This one and those on the PATH that are new enough. */
async function installedNodes(): Promise<string[]> {
  const places = (process.env.PATH ?? '').split(path.delimiter).map((place) => path.join(place, 'node'));
  const found = new Set<string>([await realpath(process.execPath)]);
  for (const place of places) {
    const file = await realpath(place).catch(() => undefined);
    if (!file || found.has(file)) continue;
    const version = await run(file, ['-p', 'process.versions.node']).catch(() => undefined);
    const [major = 0, minor = 0] = version?.stdout.split('.').map(Number) ?? [];
    if (major > 20 || (major === 20 && minor >= 3)) found.add(file);
  }
  return [...found];
}
