import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { after, before, it } from 'node:test';
import type { Page } from 'playwright-core';
import { useDashboard } from '../support/dashboard.ts';
import {
  eventually,
  forEachEngine,
  type List,
  listOver,
  type Service,
  startService,
} from '../support/harness.ts';
import { PLAIN_HTTP_HOST } from '../support/launch-chromium.ts';
import { type Browser, setUp } from '../support/operators.ts';

/** Over HTTP/1.1, a browser opens six connections to a host. */
const TABS = 8;

const openDashboard = useDashboard();

forEachEngine('notifications', (engine) => {
  let service: Service;
  let owner: Browser;
  let developmentKey: string;
  let lists: [List, List];
  let opened: Page[] = [];
  const open = new Set<ServerResponse>();
  const count = (message: unknown) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    if (!request.url?.startsWith('/admin/v1/stream')) return;
    open.add(response);
    response.once('close', () => open.delete(response));
  };
  before(async () => {
    subscribe('http.server.request.start', count);
    service = await startService(engine, { streamTimes: { roundMs: 20 } });
    owner = await setUp(service);
    developmentKey = (await service.key({ environment: 'development' })).key;
  });
  after(() => {
    unsubscribe('http.server.request.start', count);
    return service.close();
  });

  const addressOf = (index: number) =>
    `/waitlists/${lists[index % 2]?.id}${index % 4 === 3 ? '?environment=development' : ''}`;
  const signup = (email: string) =>
    Promise.all(
      lists.map(async (list) => {
        await list.signup({ email });
        await listOver(service, list.id, developmentKey).signup({ email });
      }),
    );
  const settle = async (wanted: number) => {
    const count = await eventually(
      async () => open.size,
      (each) => each === wanted,
    );
    assert.equal(count, wanted, 'open streams');
  };
  const shows = async (tabs: Page[], signups: number) => {
    for (const tab of tabs)
      await tab
        .getByRole('term')
        .filter({ hasText: 'Signups' })
        .locator('xpath=..')
        .getByText(String(signups), { exact: true })
        .waitFor();
  };
  const start = async (address = service.url, tabs = TABS) => {
    lists = [await service.waitlist(), await service.waitlist()];
    const first = await openDashboard({ url: address }, addressOf(0), { as: owner });
    const others = await Promise.all(
      Array.from({ length: tabs - 1 }, async (_, index) => {
        const tab = await first.context().newPage();
        await tab.goto(`${address}${addressOf(index + 1)}`);
        return tab;
      }),
    );
    opened = others;
    return { first, others, all: [first as Page, ...others] };
  };
  const end = async (first: Page) => {
    await Promise.all(opened.map((tab) => tab.close()));
    await first.close();
    await settle(0);
  };

  it('many tabs load and are live with one stream, which another takes over', async () => {
    const { first, others, all } = await start();
    await shows(all, 0);
    await settle(1);
    await signup('ada@example.com');
    await shows(all, 1);

    await first.goto('/docs');
    await signup('grace@example.com');
    await shows(others, 2);
    await settle(1);
    const [leader, ...rest] = others;
    await leader?.close();
    await signup('alan@example.com');
    await shows(rest, 3);
    await first.goBack();
    await signup('edsger@example.com');
    await shows([first, ...rest], 4);
    await settle(1);
    assert.deepEqual(first.problems, []);
    await end(first);
  });

  it('tabs out of sight hold no stream, and are up to date when they are back', async () => {
    const { first, others, all } = await start(service.url, 3);
    await shows(all, 0);
    for (const tab of all) await setSight(tab, 'hidden');
    await settle(0);
    await signup('ada@example.com');
    await setSight(others[1] as Page, 'visible');
    await shows(others.slice(1), 1);
    await settle(1);
    for (const tab of all) await setSight(tab, 'visible');
    await signup('grace@example.com');
    await shows(all, 2);
    await settle(1);
    await end(first);
  });

  it('tabs are live where a browser cannot share a stream', async () => {
    const { port } = new URL(service.url);
    const { first, all } = await start(`http://${PLAIN_HTTP_HOST}:${port}`, 3);
    assert.equal(await first.evaluate('isSecureContext'), false);
    await shows(all, 0);
    await settle(3);
    await setSight(first, 'hidden');
    await settle(2);
    await signup('ada@example.com');
    await shows(all.slice(1), 1);
    await setSight(first, 'visible');
    await shows(all, 1);
    await end(first);
  });
});

/** Headless, every page is in sight. */
function setSight(page: Page, state: 'hidden' | 'visible'): Promise<void> {
  return page.evaluate(`{
    Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  }`);
}
