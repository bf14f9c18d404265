import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { runCommandLine } from '../../src/commands/command-line.ts';
import { openDns } from '../../src/mail/sender/dns.ts';
import { updateMailSettings } from '../../src/mail/update-settings.ts';
import { type DnsServer, startDnsServer } from '../support/dns-server.ts';
import { type DocumentedClient, documentedClient } from '../support/documented-client.ts';
import { assertError, forEachEngine } from '../support/harness.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { type Mailing, mailingList, startMailing } from '../support/mails.ts';

interface SenderCheck {
  from: string;
  bounceAddress: string | null;
  mailServer: boolean;
  findings: { check: string; state: string; detail: string; fix: string | null }[];
}

const askFor = <T>({ call }: DocumentedClient, listId: string) =>
  call<T>('checkMailSender', 'GET', `/waitlists/${listId}/mail/sender`);

forEachEngine((engine) => {
  describe('the sender check', () => {
    let dns: DnsServer;
    let server: MailServer;
    let service: Mailing;
    let admin: DocumentedClient;
    const ask = () => openDns({ servers: [dns.address] });
    const sending = () => ({
      DOORLIST_SMTP_URL: server.url,
      DOORLIST_MAIL_FROM: 'hello@acme.example',
      DOORLIST_BOUNCE_ADDRESS: 'bounces@acme.example',
    });
    before(async () => {
      dns = await startDnsServer({
        'acme.example': { txt: ['v=spf1 mx -all'], mx: ['mx.acme.example'] },
        '_dmarc.acme.example': { txt: ['v=DMARC1; p=reject'] },
        '_dmarc.beta.example': { fails: 'SERVFAIL' },
      });
      server = await startMailServer();
      service = await startMailing(engine, server, { environment: sending(), openDns: ask });
      admin = await documentedClient(service, 'support');
    });
    after(async () => {
      await service.close();
      await server.close();
      await dns.close();
    });
    const check = async (listId: string) => {
      const { status, body } = await askFor<SenderCheck>(admin, listId);
      assert.equal(status, 200);
      const states = Object.fromEntries(body.findings.map(({ check, state }) => [check, state]));
      return { ...body, states };
    };

    it('looks at the sender of the waitlist, or at the default', async () => {
      const list = await mailingList(service, ['welcome']);
      const standard = await check(list.id);
      assert.deepEqual(
        [standard.from, standard.bounceAddress, standard.mailServer],
        ['hello@acme.example', 'bounces@acme.example', true],
      );
      const fine = {
        spf: 'ok',
        dkim: 'unchecked',
        dmarc: 'ok',
        alignment: 'ok',
        bounces: 'ok',
        unsubscribe: 'ok',
      };
      assert.deepEqual(standard.states, fine);
      await updateMailSettings(service.context, list.id, { from: 'team@beta.example' });
      const own = await check(list.id);
      assert.equal(own.from, 'team@beta.example');
      assert.deepEqual(own.states, { ...fine, dmarc: 'unchecked', alignment: 'unchecked' });
    });

    it('is not for viewers, and not for waitlists that do not exist', async () => {
      assertError(await askFor(admin, 'wl_nowhere'), 404, 'not_found');
      const list = await mailingList(service, []);
      const viewer = await documentedClient(service, 'viewer');
      assertError(await askFor(viewer, list.id), 403, 'forbidden');
    });

    it('is part of doctor, and makes nothing wrong that is not ours', async () => {
      const list = await mailingList(service, []);
      await updateMailSettings(service.context, list.id, { from: 'team@gone.example' });
      const out: string[] = [];
      const code = await runCommandLine(['doctor', '--queue', list.id], {
        environment: { ...service.storage.environment, ...sending() },
        openDns: ask,
        out: (text) => void out.push(text),
        error: (text) => void out.push(text),
      });
      assert.equal(code, 0, out.join('\n'));
      assert.match(out.join('\n'), /^ok +SPF of team@gone\.example: acme\.example has one SPF record/m);
      assert.match(
        out.join('\n'),
        /^WARN +DMARC of team@gone\.example: gone\.example has no DMARC record.* Publish/m,
      );
      assert.match(out.join('\n'), /^\? +DKIM of team@gone\.example: Doorlist does not sign/m);
    });
  });

  it('asks nothing without a mail server', async () => {
    const service = await startMailing(engine);
    try {
      const list = await mailingList(service, []);
      const { body } = await askFor<SenderCheck>(await documentedClient(service, 'support'), list.id);
      assert.deepEqual([body.mailServer, body.findings], [false, []]);
    } finally {
      await service.close();
    }
  });
});
