import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { allowList, checkAllowed, isPublicAddress } from '../../src/lib/addresses.ts';
import { createGuard, RefusedTarget, type Resolve } from '../../src/webhooks/guard.ts';
import { createSender } from '../../src/webhooks/send.ts';
import { afterTest } from '../support/cleanup.ts';
import { startReceiver, status } from '../support/receiver.ts';

/** Everything that means this machine, its network, or what a cloud keeps its secrets at. */
const HOSTS = [
  ...[
    '127.0.0.1',
    '127.0.0.1.',
    '127.1',
    '127.0.1',
    '2130706433',
    '0x7f000001',
    '017700000001',
    '0177.0.0.1',
  ],
  ...[
    '0x7f.0.0.1',
    '0x7f.1',
    '0',
    '0.0.0.0',
    '127.255.255.254',
    '１２７.０.０.１',
    '①②⑦.⓪.⓪.①',
    '127。0。0。1',
  ],
  ...['%31%32%37.0.0.1', 'localhost', 'LOCALHOST', 'localhost.', '[::1]', '[::]', '[0:0:0:0:0:0:0:1]'],
  ...[
    '[::127.0.0.1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::ffff:0:127.0.0.1]',
    '[64:ff9b::127.0.0.1]',
  ],
  ...['[64:ff9b:1::7f00:1]', '[64:ff9b::a9fe:a9fe]', '[2002:7f00:1::]', '[2002:a9fe:a9fe::1]', '[2001::1]'],
  ...['[fe80::1]', '[fec0::1]', '[fc00::1]', '[fd00:ec2::254]', '[ff02::1]', '[100::1]', '[4000::1]'],
  ...['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '100.64.0.1', '100.100.100.200'],
  ...['169.254.169.254', '0xa9fea9fe', '2852039166', '0251.0376.0251.0376', '[::ffff:169.254.169.254]'],
  ...['168.63.129.16', '0xa83f8110', '192.0.0.192', '192.0.0.170', '198.18.0.1', '192.0.2.1', '198.51.100.1'],
  ...['203.0.113.1', '224.0.0.1', '240.0.0.1', '255.255.255.255', '[2001:db8::1]'],
];

const OTHER_URLS = [
  ...[
    'http://example.com/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'gopher://example.com/',
    'javascript:1',
  ],
  ...['https://', 'not a url', '', '//example.com', 'https://user@example.com/', 'https://:p@example.com/'],
  ...[
    'https://example.com@127.0.0.1/',
    'https://127.0.0.1#@example.com/',
    'https://127.0.0.1\\@example.com/',
  ],
];

describe('the webhook address guard', () => {
  let port = 0;
  let connections = 0;
  const servers: Server[] = [];
  before(async () => {
    for (const host of ['127.0.0.1', '::1']) {
      const server = createServer((socket) => {
        connections += 1;
        socket.destroy();
      });
      servers.push(server);
      const listening = new Promise<void>((resolve) => server.once('listening', resolve));
      server.once('error', () => servers.splice(servers.indexOf(server), 1)); // No IPv6 here.
      server.listen(port, host);
      await Promise.race([listening, new Promise((resolve) => server.once('error', resolve))]);
      port ||= (server.address() as { port: number }).port;
    }
  });
  after(() => {
    for (const server of servers) server.close();
  });

  const post = async (url: string, resolve?: Resolve, allow: string[] = []) => {
    const guard = createGuard(allowList(allow), resolve ? { resolve } : {});
    const sender = createSender(guard);
    try {
      return await sender.send({ url, headers: {}, keys: [], id: 'evt_x', body: '{}' }, Date.now());
    } finally {
      await sender.close();
    }
  };

  it('rejects every spelling of a private address, at registration and when sending', async () => {
    const guard = createGuard(allowList([]));
    for (const host of HOSTS) {
      for (const scheme of ['https', 'http']) {
        const url = `${scheme}://${host}:${port}/`;
        await assert.rejects(guard.checkTarget(url), RefusedTarget, `${url} is registered`);
        const { ok, error } = await post(url);
        assert.ok(!ok && error?.startsWith('refused: the URL '), `${url}: ${error}`);
      }
    }
    assert.equal(connections, 0, 'the socket that listens there has seen none');
  });

  it('rejects everything but plain https URLs', async () => {
    const guard = createGuard(allowList([]), { resolve: async () => ['93.184.215.14'] });
    for (const url of OTHER_URLS) {
      await assert.rejects(guard.checkTarget(url), RefusedTarget, url);
      assert.equal((await post(url)).ok, false, url);
    }
    await guard.checkTarget('https://example.com/hook?a=b');
    assert.equal(connections, 0);
  });

  it('checks every address of a name on each connection, and connects only to checked ones', async () => {
    const name = `https://hooks.test:${port}/`;
    for (const addresses of [
      ['127.0.0.1'],
      ['::1'],
      ['93.184.215.14', '127.0.0.1'],
      ['127.0.0.1', '93.184.215.14'],
      ['::ffff:127.0.0.1'],
      ['2606:2800:21f:cb07::1', '::ffff:7f00:1'],
      [],
    ]) {
      const { error } = await post(name, async () => addresses);
      assert.match(error ?? '', /^refused: the URL /, addresses.join());
    }
    let asked = 0;
    const rebinding: Resolve = async () => (++asked === 1 ? ['93.184.215.14'] : ['127.0.0.1']);
    const guard = createGuard(allowList([]), { resolve: rebinding });
    await guard.checkTarget(name); // At registration it is somebody's good server.
    const sender = createSender(guard);
    afterTest(sender.close);
    const late = await sender.send({ url: name, headers: {}, keys: [], id: 'evt_x', body: '{}' }, Date.now());
    assert.match(late.error ?? '', /not on the public Internet/);
    assert.equal(asked, 2, 'asked once for each connection');
    assert.equal(connections, 0);
  });

  it('does not follow redirects to private addresses', async () => {
    const receiver = await startReceiver();
    afterTest(receiver.close);
    for (const location of [`http://127.0.0.1:${port}/`, 'http://169.254.169.254/latest/meta-data/']) {
      for (const code of [301, 302, 303, 307, 308]) {
        receiver.answer = status(code, { location });
        const { ok, error } = await post(receiver.url, undefined, ['127.0.0.1']);
        assert.deepEqual([ok, error], [false, `answered ${code}: redirects are not followed`]);
      }
    }
    assert.equal(connections, 0);
  });

  it('allows what the operator allows, even over plain http', async () => {
    const receiver = await startReceiver();
    afterTest(receiver.close);
    const local = async () => ['127.0.0.1'];
    const { port: open } = new URL(receiver.url);
    assert.equal((await post(receiver.url, undefined, ['127.0.0.0/8'])).ok, true);
    assert.equal((await post(`http://hooks.test:${open}/`, local, ['hooks.test'])).ok, true);
    assert.equal((await post(`http://hooks.test:${open}/`, local, ['127.0.0.1'])).ok, true);
    assert.equal((await post(`http://other.test:${open}/`, local, ['hooks.test'])).ok, false);
    assert.equal((await post(receiver.url, undefined, ['10.0.0.0/8', '::/0'])).ok, false);
    assert.equal(receiver.received.length, 3);
  });

  it('recognizes public addresses and valid allowlist entries', () => {
    for (const address of ['93.184.215.14', '1.1.1.1', '2606:4700:4700::1111', '2a00:1450:4001:81c::200e'])
      assert.equal(isPublicAddress(address), true, address);
    for (const good of ['127.0.0.1', '10.0.0.0/8', 'fd00::/8', '::1', 'localhost', 'hooks.internal'])
      assert.equal(checkAllowed(good), undefined, good);
    for (const bad of ['10.0.0.0/33', 'https://x', 'a b', '*.example.com', '10.0.0.0/'])
      assert.ok(checkAllowed(bad), bad);
  });
});
