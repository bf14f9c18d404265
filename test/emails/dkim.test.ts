import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { readConfig } from '../../src/config/config.ts';
import { publicHalf } from '../../src/lib/dkim-key.ts';
import { verifyDkim } from '../support/dkim.ts';
import { forEachEngine } from '../support/harness.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { type Mailing, mailingList, mailPutOff, mailsArrived, startMailing } from '../support/mails.ts';
import { command, jsonOf, typed } from '../support/terminal.ts';

const directory = mkdtempSync(path.join(tmpdir(), 'doorlist-dkim-'));
after(() => rmSync(directory, { recursive: true }));
const keyFile = (name: string, pem: string) => {
  writeFileSync(path.join(directory, name), pem);
  return path.join(directory, name);
};
const rsa = (modulusLength: number) =>
  generateKeyPairSync('rsa', {
    modulusLength,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  }).privateKey;
const KEY = rsa(2048);

forEachEngine((engine) => {
  describe('emails that Doorlist signs', () => {
    let server: MailServer;
    let service: Mailing;
    before(async () => {
      server = await startMailServer();
      service = await startMailing(engine, server, {
        environment: {
          DOORLIST_DKIM_KEY_FILE: keyFile('rsa.key', KEY),
          DOORLIST_DKIM_DOMAIN: 'ACME.example',
          DOORLIST_DKIM_SELECTOR: 'nov2026',
        },
      });
    });
    after(async () => {
      await service.close();
      await server.close();
    });

    it('carry a signature over what people see and over one-click unsubscribe', async () => {
      const list = await mailingList(service, ['welcome']);
      await list.signup({ email: 'ada@example.com' }, { email: 'zoë@example.com' });
      for (const { raw } of await mailsArrived(server, list, 2)) {
        const { tags, signedFields, bodyMatches, signatureMatches } = verifyDkim(
          raw,
          publicHalf({ privateKey: KEY }),
        );
        assert.deepEqual(
          [tags.v, tags.a, tags.c, tags.d, tags.s],
          ['1', 'rsa-sha256', 'relaxed/relaxed', 'acme.example', 'nov2026'],
        );
        for (const name of ['from', 'to', 'subject', 'date', 'list-unsubscribe', 'list-unsubscribe-post'])
          assert.ok(signedFields.includes(name), name);
        assert.ok(bodyMatches, 'the body');
        assert.ok(signatureMatches, 'the signature');
        const forged = raw.replace(/^Subject: .*/m, 'Subject: Pay now');
        assert.equal(verifyDkim(forged, publicHalf({ privateKey: KEY })).signatureMatches, false);
        assert.equal(verifyDkim(raw, publicHalf({ privateKey: rsa(2048) })).signatureMatches, false);
      }
    });

    it('are signed the same way when they are sent again', async () => {
      const list = await mailingList(service, ['welcome']);
      const attempts: string[] = [];
      server.refuseMail = ({ raw, parsed }) => {
        if (!parsed.text?.includes(list.name)) return undefined;
        attempts.push(raw);
        return attempts.length === 1 ? '451 4.3.0 Later' : undefined;
      };
      await list.signup({ email: 'bea@example.com' });
      try {
        await mailPutOff(service, await list.queue());
        service.clock.advance(6_000);
        service.wake();
        await mailsArrived(server, list, 1);
      } finally {
        server.refuseMail = () => undefined;
      }
      assert.equal(attempts.length, 2);
      assert.equal(attempts[0], attempts[1]);
    });
  });
});

describe('a key for signing', () => {
  const problem = (environment: Record<string, string>) => {
    try {
      readConfig(environment);
      return '';
    } catch (error) {
      return (error as Error).message;
    }
  };
  const signing = (file: string) => ({ DOORLIST_DKIM_KEY_FILE: file, DOORLIST_DKIM_DOMAIN: 'acme.example' });

  it('is refused at the start if it cannot sign, in a sentence', () => {
    const { privateKey } = generateKeyPairSync('ed25519', {
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    assert.match(
      problem(signing(keyFile('ed25519.key', privateKey))),
      /^DOORLIST_DKIM_KEY_FILE: must be an RSA key, and this one is Ed25519/,
    );
    for (const broken of [KEY.slice(0, 200), 'x', KEY.replaceAll('PRIVATE', 'PUBLIC')])
      assert.match(
        problem(signing(keyFile('broken.key', broken))),
        /^DOORLIST_DKIM_KEY_FILE: must be an RSA private key in PEM/,
      );
    assert.match(
      problem(signing(keyFile('short.key', rsa(512)))),
      /at least 1024 bits, and this one has 512/,
    );
    assert.match(
      problem(signing(path.join(directory, 'missing'))),
      /^DOORLIST_DKIM_KEY_FILE: cannot read .*missing: no such file or directory$/,
    );
  });

  it('needs a domain, and a selector that can be in the DNS', () => {
    const file = keyFile('fine.key', KEY);
    assert.equal(
      problem({ DOORLIST_DKIM_KEY_FILE: file }),
      'DOORLIST_DKIM_DOMAIN: is required when DOORLIST_DKIM_KEY is set',
    );
    assert.match(
      problem({ ...signing(file), DOORLIST_DKIM_DOMAIN: 'localhost' }),
      /^DOORLIST_DKIM_DOMAIN: must be/,
    );
    assert.match(
      problem({ ...signing(file), DOORLIST_DKIM_SELECTOR: 'a b' }),
      /^DOORLIST_DKIM_SELECTOR: must be/,
    );
    assert.equal(readConfig(signing(file)).dkim?.selector, 'doorlist');
  });

  it('is generated with the record to publish, and never replaces another', async () => {
    const dataDir = path.join(directory, 'data');
    const environment = { DOORLIST_DATA_DIR: dataDir };
    const { file, record } = await jsonOf<{ file: string; record: Record<string, string> }>(
      environment,
      ...['dkim-key', 'generate', '--domain', 'acme.example'],
    );
    const privateKey = readFileSync(file, 'utf8');
    assert.equal(file, path.join(dataDir, 'dkim.key'));
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.equal(record.name, 'doorlist._domainkey.acme.example');
    assert.equal(record.value, `v=DKIM1; k=rsa; p=${publicHalf({ privateKey })}`);
    const strings = [...(record.zoneLine ?? '').matchAll(/"([^"]*)"/g)].map(([, text = '']) => text);
    assert.equal(strings.join(''), record.value);
    assert.ok(strings.every(({ length }) => length <= 255));

    const again = await typed(environment, 'dkim-key', 'generate', '--domain', 'acme.example');
    assert.equal(again.code, 1);
    assert.match(again.error, /dkim\.key already exists/);
    assert.equal(readFileSync(file, 'utf8'), privateKey);
    const shown = await command<{ record: object }>(
      { ...environment, ...signing(file) },
      ...['dkim-key', 'show'],
    );
    assert.deepEqual(shown.json.record, record);
  });

  it('is not generated without a domain, nor where nothing can be written', async () => {
    const environment = { DOORLIST_DATA_DIR: path.join(directory, 'other') };
    assert.equal((await typed(environment, 'dkim-key', 'generate')).code, 2);
    assert.equal((await typed(environment, 'dkim-key', 'generate', '--domain', 'a b')).code, 2);
    const nowhere = path.join(directory, 'no', 'such', 'directory');
    const out = await typed(
      environment,
      'dkim-key',
      'generate',
      '--domain',
      'acme.example',
      '--out',
      nowhere,
    );
    assert.equal(out.code, 1);
    assert.match(out.error, /cannot write .*: no such file or directory/);
    assert.match((await typed(environment, 'dkim-key', 'show')).error, /DOORLIST_DKIM_KEY: is not set/);
  });
});
