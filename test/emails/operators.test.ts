import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { presentMailDetails } from '../../src/mail/present.ts';
import { freePort } from '../support/free-port.ts';
import { forEachEngine } from '../support/harness.ts';
import { startMailServer } from '../support/mail-server.ts';
import { startProcess } from '../support/process.ts';
import { createStorage, type Storage } from '../support/storage.ts';
import { command, jsonOf, typed } from '../support/terminal.ts';
import { until } from '../support/webhooks.ts';

interface Diagnosis {
  healthy: boolean;
  findings: { what: string; ok: boolean; detail: string }[];
}

forEachEngine((engine) => {
  const withStorage = async (run: (storage: Storage) => Promise<void>) => {
    const storage = await createStorage(engine, { migrated: true });
    try {
      await run(storage);
    } finally {
      await storage.remove();
    }
  };

  describe('doctor', () => {
    const examine = async (storage: Storage, url?: string) => {
      const environment = url ? { DOORLIST_SMTP_URL: url, DOORLIST_MAIL_FROM: 'hello@acme.example' } : {};
      const { code, json } = await command<Diagnosis>({ ...storage.environment, ...environment }, 'doctor');
      const finding = json.findings.find(({ what }) => what === 'mail server');
      return [code, finding?.detail ?? ''] as const;
    };

    it('logs in to the mail server, and explains what is wrong', async () => {
      await withStorage(async (storage) => {
        const server = await startMailServer({ tls: 'starttls', login: true });
        const port = `127.0.0.1:${server.port}`;
        await command(storage.environment, 'migrate');
        try {
          assert.deepEqual(await examine(storage), [
            0,
            'DOORLIST_SMTP_URL is not set: emails are kept in the mailbox',
          ]);
          const trusting = `${server.url}?tls.rejectUnauthorized=false`;
          assert.deepEqual(await examine(storage, trusting), [0, `${port}, TLS, logged in`]);
          const [untrusted, certificate] = await examine(storage, server.url);
          assert.equal(untrusted, 1);
          assert.match(certificate, /certificate of 127\.0\.0\.1:\d+ is not trusted.*NODE_EXTRA_CA_CERTS/);
          const [wrong, login] = await examine(storage, trusting.replace('mailer:', 'nobody:'));
          assert.equal(wrong, 1);
          assert.match(login, /refused the login \(535\).*Response: 535 /);
          assert.equal(server.received.length, 0);
        } finally {
          await server.close();
        }
        const [gone, refused] = await examine(storage, server.url);
        assert.equal(gone, 1);
        assert.ok(refused.startsWith(`${port} refused the connection. Check host and port`), refused);
      });
    });
  });

  describe('a server', () => {
    it('starts without the mail server, and logs that it is unreachable', async () => {
      await withStorage(async (storage) => {
        const port = await freePort(); // Not one that the server could be given as its own.
        const running = await startProcess({
          ...storage.environment,
          DOORLIST_SMTP_URL: `smtp://127.0.0.1:${port}`,
          DOORLIST_MAIL_FROM: 'hello@acme.example',
        });
        try {
          await until('the trouble is told', () => running.output().includes('mail server: unreachable'));
          assert.match(running.output(), new RegExp(`127.0.0.1:${port} refused the connection`));
          assert.equal((await fetch(`${running.url}/readyz`)).status, 200);
        } finally {
          await running.stop();
        }
      });
    });

    it('sets the links and the sender that the command line shows', async () => {
      await withStorage(async (storage) => {
        const own = { ...storage.environment, DOORLIST_PUBLIC_URL: 'https://wait.acme.example' };
        const running = await startProcess({ ...own, DOORLIST_MAIL_FROM: 'hello@acme.example' });
        try {
          const list = ['--waitlist', 'wl_acme'];
          await jsonOf(storage.environment, 'waitlist', 'create', 'wl_acme', '--name', 'Acme');
          const words = ['invite', 'create', ...list, '--email', 'ada@example.com'];
          const invite = await jsonOf<{ url: string; code: string }>(storage.environment, ...words);
          const link = `https://wait.acme.example/join/${invite.code}`;
          assert.equal(invite.url, link);
          const { json } = await command<{ mails: { id: string }[] }>(
            storage.environment,
            'mail',
            'list',
            ...list,
          );
          const shown = await command<ReturnType<typeof presentMailDetails>>(
            storage.environment,
            'mail',
            'show',
            json.mails[0]?.id ?? '',
            ...list,
          );
          assert.ok(shown.json.mail?.text.includes(link));
          assert.equal(shown.json.mail?.from.address, 'hello@acme.example');
          const preview = await typed(storage.environment, 'mail', 'template', 'preview', 'invite', ...list);
          assert.match(preview.out, /https:\/\/wait\.acme\.example\/join\//);
          const test = ['mail', 'template', 'test', 'invite', ...list, '--env', 'development'];
          const sent = await typed(storage.environment, ...test, '--to', 'you@example.com');
          const [, advice = ''] = /^Queued evt_\w+\. To see the result, run: (.+)$/.exec(sent.out) ?? [];
          assert.match(
            (await typed(storage.environment, ...advice.split(' '))).out,
            /^To: you@example\.com$/m,
          );
        } finally {
          await running.stop();
        }
      });
    });
  });
});
