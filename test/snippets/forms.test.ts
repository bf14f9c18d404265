import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { type OpenForm, openForm } from '../support/forms.ts';
import { type Service, startService } from '../support/harness.ts';
import { launchChromium } from '../support/launch-chromium.ts';
import { without } from '../support/programs.ts';
import { snippets } from './read-snippets.ts';
import { document, SITES } from './sites.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const TYPES: Record<string, string> = { '.js': 'text/javascript', '.html': 'text/html; charset=utf-8' };
/** React adds the script to the page by itself, which Trusted Types do not allow. */
const WITHOUT_TRUSTED_TYPES = ['React', 'Next.js'];

describe('the snippets for a form', { skip: without('Chromium') }, () => {
  let service: Service;
  let site: Server;
  let browser: Browser;
  let form: OpenForm;
  let origin: string;
  let directory: string;
  let served: { folder: string; policy: string };
  before(async () => {
    service = await startService('sqlite', { startAt: Date.now() });
    directory = mkdtempSync(path.join(tmpdir(), 'doorlist-snippets-'));
    symlinkSync(path.join(ROOT, 'node_modules'), path.join(directory, 'node_modules'));
    site = createServer(async (request, response) => {
      const { pathname } = new URL(request.url ?? '', origin);
      const file = path.join(served.folder, pathname === '/' ? 'index.html' : pathname);
      const content = await readFile(file).catch(() => undefined);
      response.writeHead(content ? 200 : 404, {
        'content-type': TYPES[path.extname(file)] ?? 'text/plain',
        'content-security-policy': served.policy,
      });
      response.end(content);
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    form = await openForm(service, { allowedOrigins: [origin] });
    browser = await launchChromium();
  });
  after(async () => {
    await browser?.close();
    site.closeAllConnections();
    site.close();
    await service.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const filledIn = (code: string, { key } = form) =>
    code.replaceAll('https://waitlist.example.com', service.url).replaceAll('dlf_…', key);
  /** Allows what docs/forms.md says, and nothing else. */
  const policyOf = (heading: string) =>
    [
      "default-src 'none'; style-src 'self'; base-uri 'none'",
      `script-src 'self' ${service.url}; connect-src ${service.url}; form-action ${service.url}`,
      ...(WITHOUT_TRUSTED_TYPES.includes(heading) ? [] : ["require-trusted-types-for 'script'"]),
    ].join('; ');
  const open = async (heading: string, code: string[], options: BrowserContextOptions = {}) => {
    const folder = mkdtempSync(path.join(directory, 'site-'));
    served = { folder: (await SITES[heading]?.(code, folder)) ?? '', policy: policyOf(heading) };
    const tab = await browser.newPage(options);
    const problems: string[] = [];
    tab.on('pageerror', ({ message }) => problems.push(message));
    tab.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    await tab.goto(`${origin}/`);
    return { tab, problems };
  };
  const typeEmail = (tab: Page, email: string) => tab.getByRole('textbox', { name: 'Email' }).fill(email);
  const joinButton = (tab: Page) => tab.getByRole('button', { name: 'Join the waitlist' });

  let joined = 0;
  for (const heading of Object.keys(SITES)) {
    it(`lets a person join and see their position: ${heading}`, async () => {
      const code = snippets(heading).map((each) => filledIn(each));
      const { tab, problems } = await open(heading, code);
      const email = `${heading.toLowerCase()}@example.com`;
      await tab.locator('doorlist-form').getByRole('textbox').waitFor();
      await typeEmail(tab, email);
      service.clock.advance(5_000); // Or this would be too fast for a person.
      await joinButton(tab).click();
      await tab.getByText('You’re on the list').waitFor();
      joined += 1;
      assert.ok(await tab.getByText(`You are number ${joined} in line`).isVisible());
      assert.equal((await form.list.lookup(email)).body.status, 'waiting');
      assert.deepEqual(problems, []);
      await tab.close();
    });
  }

  for (const heading of ['HTML', 'Next.js', 'Astro', 'WordPress']) {
    it(`lets a person join without JavaScript, with a confirmed email: ${heading}`, async () => {
      const list = await service.waitlist();
      const redirectUrl = `${origin}/thanks.html`;
      const plain = await openForm(service, { allowedOrigins: [origin], redirectUrl }, list);
      const code = snippets(heading).map((each) => filledIn(withPlainForm(each), plain));
      const { tab } = await open(heading, code, { javaScriptEnabled: false });
      writeFileSync(path.join(served.folder, 'thanks.html'), document('<h1>Thank you</h1>'));
      await typeEmail(tab, 'plain@example.com');
      await joinButton(tab).click();
      await tab.waitForURL(`${service.url}/**`); // Once more on our page, which has what keeps bots out.
      service.clock.advance(5_000);
      await joinButton(tab).click();
      await tab.getByRole('heading', { name: 'Thank you' }).waitFor();
      assert.equal((await list.lookup('plain@example.com')).body.status, 'pending');
      await tab.close();
    });
  }

  it('replaces the plain form of a page that the server rendered', async () => {
    const code = snippets('Next.js').map((each) => filledIn(withPlainForm(each)));
    const { tab, problems } = await open('Next.js', code);
    await tab.locator('doorlist-form [part=form]').waitFor();
    assert.equal(await tab.getByRole('textbox', { name: 'Email' }).count(), 1);
    assert.deepEqual(problems, []);
    await tab.close();
  });

  it('has types for React and Next.js, with the declaration of the element', async () => {
    const [code = '', declaration = ''] = snippets('React');
    const project = mkdtempSync(path.join(directory, 'types-'));
    writeFileSync(path.join(project, 'doorlist-form.d.ts'), declaration);
    writeFileSync(
      path.join(project, 'snippet.tsx'),
      `import { useState } from 'react';\nvoid useState;\n${withPlainForm(code)}`,
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
});

const run = promisify(execFile);

/** With the form of the HTML snippet inside the element, as the page suggests. */
function withPlainForm(code: string): string {
  const [inside] = /<form [\s\S]*<\/form>/.exec(snippets('HTML')[0] ?? '') ?? [];
  return code.replace(
    /(<doorlist-form [^>]*?)(?: \/>|><\/doorlist-form>)/,
    (_, start) => `${start}>${inside}</doorlist-form>`,
  );
}
