import { after, before } from 'node:test';
import type { Engine } from '../../src/db/database.ts';
import { type DashboardPage, useDashboard } from './dashboard.ts';
import { type List, type Service, startService } from './harness.ts';
import { type Browser, setUp } from './operators.ts';

interface Site {
  service: Service;
  owner: Browser;
  list: List;
  open(path: string): Promise<DashboardPage>;
}

interface Contents {
  waitlist: Parameters<Service['waitlist']>[0];
  person: Parameters<List['signup']>[0];
}

/** For the head of a suite: a waitlist with a person, and the dashboard as its owner sees it. */
export function useDashboardSite(
  engine: Engine,
  { waitlist, person }: Contents,
  start: typeof startService = startService,
): Site {
  const openDashboard = useDashboard();
  const site = {
    open: (path) => openDashboard(site.service, path, { as: site.owner }),
  } as Site;
  before(async () => {
    site.service = await start(engine, { startAt: Date.now() });
    site.owner = await setUp(site.service);
    site.list = await site.service.waitlist(waitlist);
    await site.list.signup(person);
  });
  after(() => site.service?.close());
  return site;
}
