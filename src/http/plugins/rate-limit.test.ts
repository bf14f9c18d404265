import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { localCounts } from '../../lib/counts.ts';
import { UNMETERED } from '../../lib/telemetry.ts';
import { clientOf, rateLimiter } from './rate-limit.ts';

const client = (ip: string) => clientOf({ ip } as FastifyRequest);

describe('clientOf', () => {
  it('is the address itself for IPv4', () => {
    assert.equal(client('192.0.2.1'), '192.0.2.1');
    assert.notEqual(client('192.0.2.1'), client('192.0.2.2'));
  });

  it('is the IPv4 address of an IPv4-mapped IPv6 address', () => {
    assert.equal(client('::ffff:192.0.2.1'), '192.0.2.1');
  });

  it('is the /64 of an IPv6 address, in any spelling', () => {
    const same = [
      '2001:db8:0:1::',
      '2001:db8:0:1::1',
      '2001:0db8:0000:0001:ffff:ffff:ffff:ffff',
      '2001:DB8::1:0:0:0:1',
    ];
    for (const ip of same) assert.equal(client(ip), '2001:db8:0:1', ip);
    assert.notEqual(client('2001:db8:0:2::1'), '2001:db8:0:1');
    assert.equal(client('fe80::1%eth0'), 'fe80:0:0:0');
    assert.equal(client('::1'), '0:0:0:0');
    assert.equal(client('::'), '0:0:0:0');
  });

  it('is the text that a trusted proxy sent when it is not an address', () => {
    assert.equal(client('unknown'), 'unknown');
    assert.equal(client('x'.repeat(10_000)).length, 64);
  });
});

describe('rateLimiter', () => {
  const recorder = () => {
    const headers: Record<string, string> = {};
    const reply = {
      header: (name: string, value: string) => {
        headers[name] = value;
      },
    };
    return { headers, reply: reply as unknown as FastifyReply };
  };

  it('allows exactly the limit in a minute, and as many again in the next', () => {
    let now = 1_000_000;
    const limiter = rateLimiter('test', 3, { clock: () => now, meter: UNMETERED, counts: localCounts() });
    const { headers, reply } = recorder();
    for (const left of [2, 1, 0]) {
      limiter.take('a', reply);
      assert.equal(headers.ratelimit, `"test";r=${left};t=60`);
    }
    now += 59_999;
    assert.throws(() => limiter.take('a', reply), { code: 'rate_limited', retryAfterSeconds: 1 });
    limiter.take('b', reply);
    now += 1;
    limiter.take('a', reply);
    assert.equal(headers['ratelimit-policy'], '"test";q=3;w=60');
    assert.equal(headers.ratelimit, '"test";r=2;t=60');
  });

  it('says how long to wait', () => {
    let now = 0;
    const limiter = rateLimiter('test', 1, { clock: () => now, meter: UNMETERED, counts: localCounts() });
    limiter.take('a', recorder().reply);
    now = 12_345;
    assert.throws(() => limiter.take('a', recorder().reply), { retryAfterSeconds: 48 });
  });

  it('counts a costly request as several, and serves a request of any cost in a new window', () => {
    let now = 0;
    const limiter = rateLimiter('test', 10, { clock: () => now, meter: UNMETERED, counts: localCounts() });
    const { headers, reply } = recorder();
    limiter.take('a', reply, 4);
    assert.equal(headers.ratelimit, '"test";r=6;t=60');
    limiter.take('a', undefined, 5);
    assert.throws(() => limiter.take('a', reply, 2), { code: 'rate_limited' });
    now += 60_000;
    limiter.take('a', reply, 1_000);
    assert.throws(() => limiter.take('a', reply), { code: 'rate_limited' });
  });

  it('counts all whose connection has ended as one client', () => {
    assert.equal(clientOf({ ip: undefined as unknown as string }), 'gone');
  });

  it('is disabled at 0', () => {
    const limiter = rateLimiter('test', 0, { clock: () => 0, meter: UNMETERED, counts: localCounts() });
    const { headers, reply } = recorder();
    for (let i = 0; i < 1_000; i += 1) limiter.take('a', reply);
    assert.deepEqual(headers, {});
  });

  it('drops the oldest client first when it holds too many', () => {
    const limiter = rateLimiter('test', 1, { clock: () => 0, meter: UNMETERED, counts: localCounts() });
    const { reply } = recorder();
    for (let i = 0; i < 100_000; i += 1) limiter.take(String(i), reply);
    assert.throws(() => limiter.take('0', reply));
    limiter.take('one more', reply);
    limiter.take('0', reply);
    assert.throws(() => limiter.take('99999', reply));
  });
});
