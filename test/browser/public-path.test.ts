import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { useDashboard } from '../support/dashboard.ts';
import { type OpenForm, openForm } from '../support/forms.ts';
import {
  type Client,
  clientFor,
  forEachEngine,
  type List,
  type Service,
  startService,
} from '../support/harness.ts';
import { type Browser, browserOf, OWNER, PASSWORD, tokenForSetup } from '../support/operators.ts';
import { without } from '../support/programs.ts';
import { PREFIX, type ReverseProxy, startNginx, startNodeProxy } from '../support/reverse-proxy.ts';

const HTML = { accept: 'text/html' };
const openDashboard = useDashboard();

forEachEngine((engine) => {
  for (const prefix of ['removes', 'keeps'] as const) {
    behind(`a proxy that ${prefix} the path of the public URL`, () => startNodeProxy(prefix));
    behind(`nginx, which ${prefix} the path of the public URL`, () => startNginx(prefix), without('nginx'));
  }

  function behind(name: string, start: () => Promise<ReverseProxy>, skip: string | false = false): void {
    describe(name, { skip }, () => {
      let proxy: ReverseProxy;
      let service: Service;
      let client: Client;
      let owner: Browser;
      let list: List;
      let form: OpenForm;
      before(async () => {
        proxy = await start();
        service = await startService(engine, {
          startAt: Date.now(),
          environment: { DOORLIST_PUBLIC_URL: `${proxy.publicUrl}/`, DOORLIST_TRUSTED_PROXIES: '127.0.0.1' },
        });
        await proxy.leadTo(Number(new URL(service.url).port));
        client = clientFor(proxy.publicUrl);
        owner = browserOf(client);
        list = await service.waitlist();
        form = await openForm(service, {}, list);
      });
      after(async () => {
        await service?.close();
        await proxy?.close();
      });

      const visit = (url: string, init: RequestInit = {}) =>
        fetch(new URL(url, `${proxy.publicUrl}/`), { headers: HTML, redirect: 'manual', ...init });
      const placeOf = (response: Response) =>
        new URL(response.headers.get('location') ?? '', response.url).href;

      it('leads people who are not signed in to its own pages, and back', async () => {
        assert.equal(placeOf(await visit('')), `${proxy.publicUrl}/setup`);
        const { status, headers } = await owner.post('/setup', {
          token: await tokenForSetup(service),
          ...OWNER,
        });
        assert.equal(status, 201);
        for (const cookie of headers.getSetCookie()) assert.match(cookie, new RegExp(`; Path=${PREFIX};`));
        assert.equal((await owner.get('/me')).status, 200);
        assert.equal(placeOf(await visit('')), `${proxy.publicUrl}/sign-in`);
        const next = encodeURIComponent(`${PREFIX}/waitlists/${list.id}/queue?tab=all`);
        assert.equal(
          placeOf(await visit(`waitlists/${list.id}/queue?tab=all`)),
          `${proxy.publicUrl}/sign-in?next=${next}`,
        );
        assert.equal((await fetch(`${proxy.origin}/sign-in`)).status, 404, 'that is another site');
      });

      it('finds the files of its pages', async () => {
        const page = await (await visit('sign-in')).text();
        const files = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file = '']) => file);
        assert.ok(files.length > 2, page);
        for (const file of files) {
          assert.ok(file.startsWith(`${PREFIX}/assets/`), file);
          assert.equal((await visit(file)).status, 200, file);
        }
      });

      it('has its path in the documents of the API and their pages', async () => {
        for (const path of ['openapi.json', 'admin/openapi.json']) {
          const { servers } = (await (await visit(path)).json()) as { servers: { url: string }[] };
          assert.deepEqual(
            servers.map(({ url }) => url),
            [PREFIX],
          );
        }
        const page = await (await visit('docs')).text();
        assert.ok(page.includes(`<code>${proxy.publicUrl}</code>`));
        for (const path of ['/openapi.json', '/docs/admin']) {
          assert.ok(page.includes(`href="${PREFIX}${path}"`), path);
          assert.equal((await visit(PREFIX + path)).status, 200);
        }
        const guide = await (await visit('docs/queue')).text();
        for (const path of ['/docs', '/docs/search', '/docs/forms'])
          assert.ok(guide.includes(`="${PREFIX}${path}"`));
        const list = await (await visit('llms.txt')).text();
        assert.ok(list.includes(`(${proxy.publicUrl}/docs/queue.md)`));
      });

      it('takes signups through its form, with and without scripts', async () => {
        const page = await (await visit(`w/${list.id}`)).text();
        const action = /<form method="post" action="([^"]+)"/.exec(page)?.[1] ?? '';
        const script = /<script src="([^"]+)"/.exec(page)?.[1] ?? '';
        const at = `${proxy.publicUrl}/w/${list.id}`;
        assert.equal((await visit(new URL(script, at).href)).status, 200);
        const token = form.token();
        const sent = await visit(new URL(action, at).href, {
          method: 'POST',
          body: new URLSearchParams({ email: 'plain@example.com', token }),
        });
        assert.equal(sent.status, 303);
        assert.ok(placeOf(sent).startsWith(`${proxy.publicUrl}/w/${list.id}/thanks`));
        assert.equal((await visit(placeOf(sent))).status, 200);
        const joined = await client.request<{ statusUrl: string; status: { shareUrl: string } }>(
          'POST',
          form.path,
          { body: { email: 'ada@example.com', include: 'status', proof: await form.proof() } },
        );
        assert.equal(joined.status, 200, joined.text);
        for (const url of [joined.body.statusUrl, joined.body.status.shareUrl]) {
          assert.ok(url.startsWith(`${proxy.publicUrl}/`), url);
          assert.equal((await visit(url)).status, 200, url);
        }
      });

      it('has its path in links to people', async () => {
        const { url } = await owner
          .post<{ url: string }>(`/waitlists/${list.id}/invites`, { email: 'guest@example.com' })
          .then(({ body }) => body);
        assert.ok(url.startsWith(`${proxy.publicUrl}/join/`), url);
        const mail = await owner.post<{ html: string }>(
          `/waitlists/${list.id}/mail/templates/invite/preview`,
          {},
        );
        assert.ok(mail.body.html.includes(`href="${proxy.publicUrl}/join/`), mail.text);
        assert.equal((await visit(url)).status, 200);
        const { link } = (
          await owner.post<{ link: { url: string } }>('/operators', {
            email: 'grace.two@example.com',
            role: 'viewer',
          })
        ).body;
        assert.ok(link.url.startsWith(`${proxy.publicUrl}/password/`));
        const asked = await visit(link.url);
        assert.equal(asked.status, 200);
        const set = await visit(link.url, {
          method: 'POST',
          body: new URLSearchParams({ name: 'Grace', password: PASSWORD }),
        });
        assert.equal(set.status, 303);
        assert.equal(new URL(placeOf(set), link.url).href, `${proxy.publicUrl}/`);
      });

      if (engine === 'postgres') return; // The browser sees no difference between the engines.

      it('shows its dashboard, and brings the operator back after signing in', async () => {
        const page = await openDashboard(
          { url: proxy.origin },
          `${PREFIX}/waitlists/${list.id}/queue?tab=all`,
        );
        await page.waitForURL((url) => url.pathname === `${PREFIX}/sign-in`);
        await page.getByLabel('Email').fill(OWNER.email);
        await page.getByLabel('Password').fill(PASSWORD);
        await page.getByRole('button', { name: 'Sign in', exact: true }).click();
        await page.waitForURL((url) => url.pathname === `${PREFIX}/waitlists/${list.id}/queue`);
        await page.getByRole('gridcell', { name: 'ada@example.com', exact: true }).waitFor();
        await list.signup({ email: 'live@example.com' });
        await page
          .getByRole('gridcell', { name: 'live@example.com', exact: true })
          .or(page.getByText('1 new'))
          .first()
          .waitFor();
        await page.getByRole('link', { name: 'Emails' }).click();
        await page.waitForURL((url) => url.pathname === `${PREFIX}/waitlists/${list.id}/emails`);
        await page.reload();
        await page.getByRole('heading', { name: 'Emails', exact: true }).waitFor();
        await page.keyboard.press('Control+k');
        await page.getByRole('option', { name: 'Invites' }).click();
        await page.waitForURL((url) => url.pathname === `${PREFIX}/waitlists/${list.id}/invites`);
        await page.getByRole('heading', { name: 'Invites', exact: true }).waitFor();
        assert.deepEqual(page.problems, []);
        await page.close();
      });
    });
  }
});
