import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { dkimRecord, generateDkimKey } from '../../src/lib/dkim-key.ts';
import { checkSender, type SenderSettings } from '../../src/mail/sender/check-sender.ts';
import { openDns, type SenderFinding } from '../../src/mail/sender/dns.ts';
import { type DnsServer, startDnsServer, type Zone } from '../support/dns-server.ts';

const SETTINGS: SenderSettings = {
  from: 'hello@acme.example',
  bounceAddress: undefined,
  dkim: undefined,
  publicUrl: 'https://doorlist.acme.example',
};
const GOOD: Zone = {
  'acme.example': {
    txt: ['unrelated', 'v=spf1 mx include:_spf.relay.example -all'],
    mx: ['mx.acme.example'],
  },
  '_spf.relay.example': { txt: ['v=spf1 ip4:192.0.2.0/24 ~all'] },
  '_dmarc.acme.example': { txt: ['v=DMARC1; p=reject; rua=mailto:dmarc@acme.example'] },
};

describe('the check of a sender', () => {
  let server: DnsServer;
  before(async () => {
    server = await startDnsServer();
  });
  beforeEach(() => {
    server.zone = GOOD;
    server.asked.length = 0;
  });
  after(() => server.close());

  const check = async (
    settings: Partial<SenderSettings> = {},
    limits: { limitMs?: number; queryMs?: number } = {},
  ): Promise<Record<SenderFinding['check'], SenderFinding>> => {
    const dns = openDns({ servers: [server.address], ...limits });
    try {
      const findings = await checkSender(dns, { ...SETTINGS, ...settings });
      return Object.fromEntries(findings.map((finding) => [finding.check, finding])) as never;
    } finally {
      dns.close();
    }
  };
  const assertIs = (found: SenderFinding, state: SenderFinding['state'], wanted: RegExp) => {
    assert.equal(found.state, state, found.detail);
    assert.match(found.detail, wanted);
    if (state === 'problem') assert.notEqual(found.fix, null);
  };

  it('finds a sender in order, and says what it did not look at', async () => {
    const found = await check();
    assertIs(found.spf, 'ok', /takes 2 of 10 lookups\. Whether it names your mail server is not checked/);
    assertIs(found.dkim, 'unchecked', /does not sign.*is not known/);
    assertIs(found.dmarc, 'ok', /reject/);
    assertIs(found.alignment, 'ok', /domain of From/);
    assertIs(found.bounces, 'ok', /mx\.acme\.example/);
    assertIs(found.unsubscribe, 'ok', /List-Unsubscribe/);
  });

  it('asks nothing about an address that is not on the internet', async () => {
    const found = await check({ from: 'doorlist@localhost', publicUrl: 'http://127.0.0.1:3000' });
    for (const each of [found.spf, found.dmarc, found.bounces])
      assertIs(each, 'problem', /localhost is not a domain/);
    assertIs(found.unsubscribe, 'problem', /only for https/);
    assert.deepEqual(server.asked, []);
  });

  describe('of SPF', () => {
    const spf = async (zone: Zone) => {
      server.zone = { ...GOOD, ...zone };
      return (await check()).spf;
    };
    const own = (record: string): Zone => ({ 'acme.example': { txt: [record] } });

    it('wants exactly one record', async () => {
      assertIs(await spf({ 'acme.example': { txt: ['v=spf10 -all'] } }), 'problem', /no SPF record/);
      assertIs(await spf({ 'acme.example': { mx: ['mx.acme.example'] } }), 'problem', /no SPF record/);
      const two = { 'acme.example': { txt: ['v=spf1 -all', 'v=spf1 mx -all'] } };
      assertIs(await spf(two), 'problem', /2 SPF records, so none/);
    });

    it('counts lookups through includes and redirects, and stops at ten', async () => {
      const includes = (count: number) =>
        Array.from({ length: count }, (_, index) => `include:s${index}.example`);
      const services = Object.fromEntries(
        Array.from({ length: 12 }, (_, index) => [
          `s${index}.example`,
          { txt: ['v=spf1 ip4:192.0.2.1 -all'] },
        ]),
      );
      assertIs(await spf({ ...services, ...own(`v=spf1 ${includes(10).join(' ')} -all`) }), 'ok', /10 of 10/);
      const much = await spf({ ...services, ...own(`v=spf1 ${includes(11).join(' ')} -all`) });
      assertIs(much, 'problem', /more than 10 lookups.*permerror/);
      const nested = { 's0.example': { txt: ['v=spf1 a mx exists:%{i}.s0.example redirect=s1.example'] } };
      assertIs(
        await spf({ ...services, ...nested, ...own('v=spf1 include:s0.example ~all') }),
        'ok',
        /takes 5 of 10/,
      );
      const loop = own('v=spf1 include:acme.example -all');
      assertIs(await spf(loop), 'problem', /more than 10 lookups/);
    });

    it('refuses what receivers would refuse', async () => {
      assertIs(
        await spf(own('v=spf1 include:gone.example -all')),
        'problem',
        /includes gone\.example, which has none/,
      );
      assertIs(await spf(own('v=spf1 ipv4:192.0.2.1 -all')), 'problem', /not valid: ipv4:192/);
      assertIs(await spf(own('v=spf1 include: -all')), 'problem', /names no valid domain/);
      assertIs(await spf(own('v=spf1 +all')), 'problem', /lets everybody send/);
      assertIs(await spf(own('v=spf1 mx')), 'ok', /1 of 10/);
    });

    it('reads records in several strings, and does not follow huge ones', async () => {
      assertIs(await spf({ 'acme.example': { txt: [['v=spf1 m', 'x -a', 'll']] } }), 'ok', /1 of 10/);
      const huge = Array.from({ length: 20 }, () => 'a'.repeat(200));
      assertIs(await spf({ 'acme.example': { txt: [huge] } }), 'problem', /no SPF record/);
    });

    it('is of the bounce address, which receivers look at', async () => {
      server.zone = { ...GOOD, 'bounces.example': { txt: ['v=spf1 -all'], mx: ['mx.bounces.example'] } };
      const found = await check({ bounceAddress: 'b@bounces.example' });
      assertIs(found.spf, 'ok', /^bounces\.example has one SPF record/);
      assertIs(found.bounces, 'ok', /b@bounces\.example/);
      assertIs(found.alignment, 'unchecked', /not in the domain of From.*is not known/);
    });
  });

  describe('of DKIM', () => {
    let dkim: NonNullable<SenderSettings['dkim']>;
    before(async () => {
      dkim = { privateKey: await generateDkimKey(), domain: 'acme.example', selector: 'nov' };
    });
    const at = (...txt: (string | string[])[]) => ({ 'nov._domainkey.acme.example': { txt } });
    const found = async (zone: Zone) => {
      server.zone = { ...GOOD, ...zone };
      return (await check({ dkim })).dkim;
    };
    const chunks = (text: string) => text.match(/.{1,200}/g) ?? [];

    it('compares the record with the key that signs, also in several strings and behind a CNAME', async () => {
      const value = chunks(dkimRecord(dkim).value);
      assertIs(await found(at(value)), 'ok', /has the key that signs/);
      const aliased: Zone = {
        'nov._domainkey.acme.example': { alias: 'keys.relay.example' },
        'keys.relay.example': { txt: [value] },
      };
      assertIs(await found(aliased), 'ok', /has the key that signs/);
    });

    it('finds a record that is missing, doubled, revoked, a test, or of another key', async () => {
      const value = chunks(dkimRecord(dkim).value);
      const other = chunks(dkimRecord({ ...dkim, privateKey: await generateDkimKey() }).value);
      assertIs(await found({}), 'problem', /no DKIM record at nov\._domainkey\.acme\.example/);
      assertIs(await found(at(value, other)), 'problem', /2 DKIM records/);
      assertIs(await found(at(other)), 'problem', /another key/);
      assertIs(await found(at('v=DKIM1; p=')), 'problem', /revokes/);
      assertIs(await found(at('v=DKIM1; p=nonsense')), 'problem', /another key/);
      assertIs(await found(at('v=DKIM2; p=x')), 'problem', /v=DKIM1/);
      assertIs(await found(at(['t=y; ', ...value])), 'problem', /marked as a test/);
    });

    it('wants the signature in the domain of From, or a domain above it', async () => {
      assertIs((await check({ dkim })).alignment, 'ok', /signature and the bounce address/);
      const from = 'hello@news.acme.example';
      assertIs((await check({ dkim, from })).alignment, 'ok', /signature/);
      assertIs(
        (await check({ dkim, from: 'hello@other.example' })).alignment,
        'problem',
        /signed for acme\.example/,
      );
      server.zone = { ...GOOD, '_dmarc.news.acme.example': { txt: ['v=DMARC1; p=none; adkim=s; aspf=s'] } };
      assertIs((await check({ dkim, from })).alignment, 'problem', /signed for acme\.example/);
      assertIs(
        (await check({ dkim, from, bounceAddress: 'b@acme.example' })).alignment,
        'problem',
        /does not count/,
      );
    });
  });

  describe('of DMARC', () => {
    const dmarc = async (zone: Zone, from = 'hello@acme.example') => {
      server.zone = { ...GOOD, ...zone };
      return (await check({ from })).dmarc;
    };

    it('takes the policy of the domain, or that of one above it', async () => {
      const at = (record: string) => ({ '_dmarc.acme.example': { txt: [record] } });
      assertIs(await dmarc(at('v=DMARC1; p=none')), 'ok', /reports only/);
      assertIs(
        await dmarc({}, 'x@a.b.acme.example'),
        'ok',
        /takes its DMARC record from acme\.example.*reject/,
      );
      assertIs(await dmarc(at('v=DMARC1; p=reject; sp=none'), 'x@a.acme.example'), 'ok', /reports only/);
      assertIs(await dmarc({}, `x@${'a.'.repeat(40)}acme.example`), 'ok', /from acme\.example/);
      assert.ok(server.asked.filter((name) => name.includes('_dmarc')).length < 20);
    });

    it('finds no policy, two, or one that is not valid', async () => {
      assertIs(await dmarc({ '_dmarc.acme.example': { txt: ['v=DMARC12'] } }), 'problem', /no DMARC record/);
      const two = { '_dmarc.acme.example': { txt: ['v=DMARC1; p=none', 'v=DMARC1; p=reject'] } };
      assertIs(await dmarc(two), 'problem', /2 DMARC records/);
      assertIs(
        await dmarc({ '_dmarc.acme.example': { txt: ['v=DMARC1; p=maybe'] } }),
        'problem',
        /no valid policy: maybe/,
      );
      assertIs(await dmarc({ '_dmarc.acme.example': { txt: ['v=DMARC1'] } }), 'problem', /no valid policy/);
    });
  });

  it('knows where bounces cannot arrive', async () => {
    const bounces = async (records: Zone[string]) => {
      server.zone = { ...GOOD, 'b.example': { txt: ['v=spf1 -all'], ...records } };
      return (await check({ bounceAddress: 'bounces@b.example' })).bounces;
    };
    assertIs(await bounces({ mx: ['.'] }), 'problem', /null MX/);
    assertIs(await bounces({}), 'problem', /no mail server/);
    assertIs(await bounces({ a: ['192.0.2.1'] }), 'ok', /no MX record, so mail goes to its own address/);
  });

  it('claims nothing if the DNS fails or does not answer', async () => {
    const dkim = { privateKey: await generateDkimKey(), domain: 'acme.example', selector: 'nov' };
    const failing = (fails: NonNullable<Zone[string]['fails']>): Zone => ({
      'acme.example': { fails },
      'nov._domainkey.acme.example': { fails },
      '_dmarc.acme.example': { fails },
    });
    for (const [fails, wanted] of [
      ['SERVFAIL', /Could not be checked: the DNS answered with a server failure \(SERVFAIL\) for/],
      ['REFUSED', /Could not be checked: the DNS refused to answer for/],
      ['never answers', /Could not be checked: the DNS did not answer in time for/],
    ] as const) {
      server.zone = failing(fails);
      const found = await check({ dkim }, { queryMs: 50, limitMs: 500 });
      for (const each of [found.spf, found.dkim, found.dmarc, found.bounces])
        assertIs(each, 'unchecked', wanted);
    }
    server.zone = { ...GOOD, '_spf.relay.example': { fails: 'SERVFAIL' } };
    assertIs((await check()).spf, 'unchecked', /_spf\.relay\.example/);
    await server.close();
    const gone = await check({}, { queryMs: 50, limitMs: 500 });
    assertIs(gone.spf, 'unchecked', /Could not be checked/);
    server = await startDnsServer();
  });
});
