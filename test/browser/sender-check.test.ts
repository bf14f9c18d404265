import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openDns } from '../../src/mail/sender/dns.ts';
import { checkAt, sizeOn, useDashboard } from '../support/dashboard.ts';
import { type DnsServer, startDnsServer } from '../support/dns-server.ts';
import { forEachEngine, type List } from '../support/harness.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { type Mailing, startMailing } from '../support/mails.ts';
import { type Browser, setUp } from '../support/operators.ts';

const openDashboard = useDashboard();

forEachEngine((engine) => {
  const size = sizeOn(engine);
  const check = checkAt(size);

  describe(`the sender check on a ${size}`, () => {
    let dns: DnsServer;
    let server: MailServer;
    let service: Mailing;
    let owner: Browser;
    let list: List;
    let held: Promise<unknown> | undefined;
    before(async () => {
      dns = await startDnsServer({
        'acme.example': { txt: ['v=spf1 mx -all'], mx: ['mx.acme.example'] },
        '_dmarc.acme.example': { fails: 'SERVFAIL' },
      });
      server = await startMailServer();
      service = await startMailing(engine, server, {
        startAt: Date.now(),
        // The dashboard has no address on the internet.
        environment: { DOORLIST_PUBLIC_URL: '' },
        openDns: () => {
          const asked = openDns({ servers: [dns.address] });
          return {
            ...asked,
            txt: async (name) => {
              await held;
              return asked.txt(name);
            },
          };
        },
      });
      owner = await setUp(service);
      list = await service.waitlist({ name: 'Acme' });
    });
    after(async () => {
      await service.close();
      await server.close();
      await dns.close();
    });

    it('loads by itself, shows each state, and checks again', async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      const page = await openDashboard(service, `/waitlists/${list.id}/emails?tab=settings`, {
        as: owner,
        size,
      });
      await page.getByLabel('From', { exact: true }).waitFor();
      await page.getByRole('status', { name: 'Checking the sender' }).waitFor();
      resolve();
      const findings = page.getByRole('list', { name: 'Sender check' });
      const row = (name: string) => findings.getByRole('listitem').filter({ hasText: name });
      await row('SPF').getByText('takes 1 of 10 lookups').waitFor();
      await row('DMARC').getByText('Could not be checked: the DNS answered with a server failure').waitFor();
      await row('Unsubscribe link').getByText('Set DOORLIST_PUBLIC_URL').waitFor();
      assert.equal(await findings.getByLabel('Problem').count(), 1);
      assert.equal(await findings.getByLabel('Not checked').count(), 2);
      await check(page, 'the sender check');

      dns.zone = { ...dns.zone, '_dmarc.acme.example': { txt: ['v=DMARC1; p=reject'] } };
      await page.getByRole('button', { name: 'Check again' }).click();
      await row('DMARC').getByText('acme.example has a DMARC record').waitFor();
      await page.getByRole('link', { name: 'Send a test' }).click();
      await page.getByRole('button', { name: 'Send test' }).waitFor();
      await page.close();
    });
  });
});
