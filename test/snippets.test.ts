import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { createKey } from '../src/waitlist/keys/server-keys.ts';
import { createWaitlist } from '../src/waitlist/settings/waitlists.ts';
import { ensureBrowser } from './support/browser.ts';
import { type OpenForm, openForm } from './support/forms.ts';
import { type Service, startService } from './support/harness.ts';

const ROOT = path.join(import.meta.dirname, '..');
const page = readFileSync(path.join(ROOT, 'docs/snippets.md'), 'utf8');
const run = promisify(execFile);

/** The blocks of code below a heading. */
function snippets(heading: string): string[] {
  const [, section = ''] = page.split(`\n### ${heading}\n`);
  const blocks = [...(section.split(/\n##/)[0] ?? '').matchAll(/```[a-z]+\n(.*?)```/gs)];
  assert.ok(blocks.length > 0, heading);
  return blocks.map(([, code = '']) => code);
}

/** The HTML that a browser gets, by the documentation of each: none of them is a dependency. */
const pageOf: Record<string, (code: string[]) => string> = {
  Vue: ([script = '', , component = '']) => script + component.replace(/<\/?template>/g, ''),
  Svelte: ([script = '', component = '']) => script + component,
  Astro: ([code = '']) => code.replace(' is:inline', ''),
  Webflow: ([code = '']) => code,
  WordPress: ([block = '', php = '']) => {
    const [, handle, src, strategy] =
      /wp_enqueue_script\('([^']+)', '([^']+)', \[\], null, \['strategy' => '(\w+)'\]\)/.exec(php) ?? [];
    return `<script src="${src}" id="${handle}-js" ${strategy} data-wp-strategy="${strategy}"></script>${block}`;
  },
};

describe('the snippets', () => {
  let service: Service;
  let directory: string;
  before(async () => {
    service = await startService('sqlite', { startAt: Date.now() });
    directory = mkdtempSync(path.join(tmpdir(), 'doorlist-snippets-'));
    symlinkSync(path.join(ROOT, 'node_modules'), path.join(directory, 'node_modules'));
  });
  after(async () => {
    await service.close();
    rmSync(directory, { recursive: true, force: true });
  });

  describe('for a form', () => {
    let site: Server;
    let browser: Browser;
    let form: OpenForm;
    let origin: string;
    const files = new Map<string, string>();
    before(async () => {
      site = createServer((request, response) => {
        const content = files.get(request.url?.split('?')[0] ?? '');
        const type = request.url?.endsWith('.js') ? 'text/javascript' : 'text/html';
        response.writeHead(content === undefined ? 404 : 200, { 'content-type': `${type}; charset=utf-8` });
        response.end(content);
      });
      await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
      origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
      form = await openForm(service, { allowedOrigins: [origin] });
      browser = await chromium.launch({
        executablePath: process.env.DOORLIST_TEST_BROWSER || ensureBrowser(),
        args: ['--no-sandbox', '--disable-gpu'],
      });
    });
    after(async () => {
      await browser?.close();
      site.closeAllConnections();
      site.close();
    });

    const filledIn = (code: string, { key } = form) =>
      code.replaceAll('https://waitlist.example.com', service.url).replaceAll('dlf_…', key);
    const open = async (content: string, options: BrowserContextOptions = {}): Promise<Page> => {
      files.set('/', `<!doctype html><html lang="en"><title>Acme</title><body>${content}</body></html>`);
      const tab = await browser.newPage(options);
      await tab.goto(`${origin}/`);
      return tab;
    };
    const join = async (tab: Page, email: string) => {
      await tab.getByRole('textbox', { name: 'Email' }).fill(email);
      service.clock.advance(5_000); // Or this would be too fast for a person.
      await tab.getByRole('button', { name: 'Join the waitlist' }).click();
      await tab.getByText("You're on the list").waitFor();
      assert.equal((await form.list.lookup(email)).body.status, 'waiting');
      await tab.close();
    };

    it('work as plain HTML on a page of another origin', async () => {
      const [code = ''] = snippets('HTML');
      await join(await open(filledIn(code)), 'html@example.com');
    });

    it('work as plain HTML without scripts, with a confirmed email', async () => {
      const redirectUrl = `${origin}/thanks`;
      files.set('/thanks', '<!doctype html><title>Thanks</title><h1>Thank you</h1>');
      const plain = await openForm(service, { allowedOrigins: [origin], redirectUrl });
      const [code = ''] = snippets('HTML');
      const tab = await open(filledIn(code, plain), { javaScriptEnabled: false });
      const button = tab.getByRole('button', { name: 'Join the waitlist' });
      await tab.getByRole('textbox', { name: 'Email' }).fill('plain@example.com');
      await button.click();
      await tab.waitForURL(`${service.url}/**`); // Once more on our page, which has what keeps bots out.
      service.clock.advance(5_000);
      await button.click();
      await tab.getByRole('heading', { name: 'Thank you' }).waitFor();
      assert.equal((await plain.list.lookup('plain@example.com')).body.status, 'pending');
      await tab.close();
    });

    it('work in React', async () => {
      const [code = ''] = snippets('React');
      writeFileSync(path.join(directory, 'snippet.jsx'), filledIn(code));
      writeFileSync(
        path.join(directory, 'main.jsx'),
        `import { createRoot } from 'react-dom/client';
import { WaitlistForm } from './snippet.jsx';
createRoot(document.getElementById('root')).render(<WaitlistForm />);`,
      );
      files.set('/main.js', await bundle(directory));
      const tab = await open('<div id="root"></div><script type="module" src="/main.js"></script>');
      await join(tab, 'react@example.com');
    });

    it('type-check in React, with the declaration of the element', async () => {
      const [code = '', declaration = ''] = snippets('React');
      const project = mkdtempSync(path.join(directory, 'types-'));
      writeFileSync(path.join(project, 'doorlist-form.d.ts'), declaration);
      writeFileSync(
        path.join(project, 'snippet.tsx'),
        `import { useState } from 'react';\nvoid useState;\n${code}`,
      );
      writeFileSync(path.join(project, 'wrong.tsx'), code.replace('form-key=', 'formkey='));
      const words = ['--noEmit', '--strict', '--jsx', 'react-jsx', '--module', 'preserve', '--ignoreConfig'];
      const files = ['doorlist-form.d.ts', 'snippet.tsx', 'wrong.tsx'];
      const tsc = path.join(ROOT, 'node_modules/.bin/tsc');
      const { stdout } = (await run(tsc, [...words, ...files], { cwd: project }).catch((error) => error)) as {
        stdout: string;
      };
      const errors = stdout.split('\n').filter((line) => line.includes('error TS'));
      assert.equal(errors.length, 1, stdout);
      assert.match(errors[0] ?? '', /^wrong\.tsx.*formkey/);
    });

    for (const heading of ['Vue', 'Svelte', 'Astro', 'Webflow', 'WordPress']) {
      it(`work in the page that ${heading} makes of them`, async () => {
        await join(
          await open(filledIn(pageOf[heading]?.(snippets(heading)) ?? '')),
          `${heading.toLowerCase()}@example.com`,
        );
      });
    }

    it('name the script and the element wherever they are', () => {
      for (const heading of ['Next.js', 'Vue', 'Svelte', 'Astro', 'Webflow', 'WordPress']) {
        const code = snippets(heading).join('\n');
        assert.match(code, /['"]https:\/\/waitlist\.example\.com\/form\.js['"]/, heading);
        assert.match(code, /<doorlist-form form-key="dlf_…"/, heading);
      }
    });
  });

  describe('for a backend', () => {
    let environment: Record<string, string | undefined>;
    before(async () => {
      await createWaitlist(service.context, { id: 'wl_acme', name: 'Acme' });
      const key = { waitlistId: 'wl_acme', environment: 'production', canRead: false, expiresAt: null };
      const { key: secret } = await createKey(service.context, key);
      environment = { ...process.env, DOORLIST_URL: service.url, DOORLIST_KEY: secret };
    });

    const PROGRAMS: Record<string, { file: string; command: string[] }> = {
      curl: { file: 'signup.sh', command: ['sh'] },
      'Node.js': { file: 'signup.mjs', command: [process.execPath] },
      Python: { file: 'signup.py', command: ['python3'] },
      Go: { file: 'signup.go', command: ['go', 'run'] },
    };
    for (const [heading, { file, command }] of Object.entries(PROGRAMS)) {
      it(`work: ${heading}`, async (test) => {
        const [tool = '', ...words] = command;
        const needed = heading === 'curl' ? 'curl' : tool;
        if (!(await run('sh', ['-c', `command -v ${needed}`]).catch(() => undefined)))
          return test.skip(`there is no ${needed}`);
        const program = path.join(directory, file);
        writeFileSync(program, snippets(heading)[0] ?? '');
        const { stdout } = await run(tool, [...words, program], { env: environment });
        const { success, created, skipped } = JSON.parse(stdout);
        assert.deepEqual([success, created + skipped], [true, 1]);
        if (heading === 'curl') return;
        const bad = { ...environment, DOORLIST_KEY: 'wrong' };
        await assert.rejects(
          run(tool, [...words, program], { env: bad }),
          'a refusal is not taken for success',
        );
      });
    }
  });
});

async function bundle(directory: string): Promise<string> {
  const { build } = await import('vite');
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    root: directory,
    build: {
      write: false,
      minify: false,
      lib: { entry: 'main.jsx', formats: ['es'] },
    },
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  const [output] = [built].flat();
  assert.ok(output && 'output' in output);
  return output.output[0].code;
}
