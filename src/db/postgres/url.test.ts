import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { connectTimeout, normalPostgresUrl, postgresUrlProblem, serverUrls, toolAddress } from './url.ts';

describe('the URL of a PostgreSQL database', () => {
  it('may name a socket in every way that libpq knows', () => {
    const inPlaceOfHost = 'postgres://me:pw@%2Frun%2Fpg/list';
    assert.equal(normalPostgresUrl('postgresql://me:pw@/list?host=/run/pg'), inPlaceOfHost);
    assert.equal(normalPostgresUrl(inPlaceOfHost), inPlaceOfHost);
    assert.equal(normalPostgresUrl('postgres:///list?host=/run/pg'), 'postgres:///list?host=/run/pg');
    assert.equal(
      normalPostgresUrl('postgres://me@/list?port=5433'),
      'postgres://me@%2Fvar%2Frun%2Fpostgresql/list?port=5433',
    );
    for (const url of ['postgres://me@/list?host=/run', 'postgres:///list?host=/run', inPlaceOfHost])
      assert.equal(postgresUrlProblem(url), undefined, url);
  });

  it('may list several hosts in every way that libpq knows', () => {
    const wanted = 'target_session_attrs=read-write';
    const normal = `postgres://me:pw@a:5432,b:5433/list?${wanted}`;
    for (const url of [
      normal,
      `postgresql://me:pw@/list?host=a,b&port=5432,5433&${wanted}`,
      `postgres://me:pw@a,b/list?port=5432,5433&${wanted}`,
    ]) {
      assert.equal(postgresUrlProblem(url), undefined, url);
      assert.equal(normalPostgresUrl(url), normal);
    }
    assert.deepEqual(serverUrls(normal), [
      `postgres://me:pw@a:5432/list?${wanted}`,
      `postgres://me:pw@b:5433/list?${wanted}`,
    ]);
    assert.equal(normalPostgresUrl('postgres://a,b/list?port=6000'), 'postgres://a:6000,b:6000/list');
    assert.equal(
      normalPostgresUrl('postgres://me@/list?host=/run/a,::1&port=1,2&sslmode=require'),
      'postgres://me@%2Frun%2Fa:1,[::1]:2/list?sslmode=verify-full',
    );
    assert.deepEqual(serverUrls('postgres://me@[::1]:1,[::2]/list'), [
      'postgres://me@[::1]:1/list',
      'postgres://me@[::2]/list',
    ]);
    assert.deepEqual(serverUrls('postgres://me@a:1/list'), ['postgres://me@a:1/list']);
  });

  it('is refused in words that name what is wrong with its hosts', () => {
    const problem = (rest: string) => postgresUrlProblem(`postgres://me:hunter2@${rest}`);
    for (const rest of ['a,/list', ',a/list', 'a,,b/list', '/list?host=a,'])
      assert.equal(problem(rest), 'names no host before or after a comma', rest);
    for (const rest of ['a:1,b:x/list', 'a,b:0/list', 'a,b:65536/list', '/list?host=a,b&port=1,x'])
      assert.equal(problem(rest), 'the port of b must be a number from 1 to 65535', rest);
    assert.equal(
      problem('a,b/list?port=1,2,3'),
      'port has 3 ports for 2 hosts: give one for all, or one for each',
    );
    for (const attributes of ['standby', 'read-only', 'prefer-standby', 'x', ''])
      assert.equal(
        problem(`a,b/list?target_session_attrs=${attributes}`),
        'target_session_attrs must be read-write or primary, because Doorlist writes to the database',
      );
  });

  it('is refused in true words if it has an unknown sslmode or timeout, without its password', () => {
    assert.match(
      postgresUrlProblem('postgres://me:hunter2@a/list?sslmode=on') ?? '',
      /^sslmode must be one of disable, /,
    );
    for (const seconds of ['0', '-1', '2.5', '1000', 'soon', ''])
      assert.equal(
        postgresUrlProblem(`postgres://me:hunter2@a/list?connect_timeout=${seconds}`),
        'connect_timeout must be a number of seconds from 1 to 999',
      );
    for (const url of ['mysql://me:hunter2@a/list', 'postgres:list', 'x'])
      assert.equal(postgresUrlProblem(url), 'must be a URL that starts with postgres:// or postgresql://');
    assert.equal(
      postgresUrlProblem('postgres://me:hunter2@::1/list'),
      'is not a valid URL: check its host and port, and put an IPv6 address into brackets',
    );
  });

  it('is refused in words that name a wrong port or a character that is not encoded', () => {
    for (const port of ['x', '0', '65536', '99999'])
      for (const place of [`db:${port}/list`, `db/list?port=${port}`])
        assert.equal(
          postgresUrlProblem(`postgres://me:hunter2@${place}`),
          'the port of db must be a number from 1 to 65535',
          place,
        );
    for (const password of ['p#x', 'p/x', 'p?x', '1#x', '1/x', 'p%x', 'p%zz'])
      assert.equal(
        postgresUrlProblem(`postgres://me:${password}@db/list`),
        'has special characters in its user name or password that must be percent-encoded, such as %23 for #, %2F for /, %3F for ?, %40 for @ and %25 for %',
        password,
      );
    for (const url of [
      'postgres://me:p%23%2F%3F%40%25@db:5432/list',
      'postgres://db/list?user=me@tenant&password=p@x',
      'postgres://me@[::1]:5432/list',
      'postgres://me@db:/list',
    ])
      assert.equal(postgresUrlProblem(url), undefined, url);
  });

  it('does not rename our connections, by whose name servers are counted', () => {
    for (const query of [
      '?application_name=app',
      '?application_name=my%20app&sslmode=disable',
      '?sslmode=disable&application_name=',
    ])
      for (const hosts of ['db', 'a,b', '']) {
        const normal = normalPostgresUrl(`postgres://me:pw@${hosts}/list${query}`);
        assert.doesNotMatch(normal, /application_name|[?&]$|\?&/);
        assert.equal(normal.includes('sslmode=disable'), query.includes('sslmode'), normal);
      }
  });

  it('may say how long to try to connect', () => {
    assert.equal(postgresUrlProblem('postgres://a/list?connect_timeout=15'), undefined);
    assert.deepEqual(connectTimeout('postgres://a/list?connect_timeout=15'), { connectMs: 15_000 });
    assert.deepEqual(connectTimeout('postgres://a/list'), {});
  });

  it('means a checked certificate with every sslmode but two', () => {
    for (const mode of ['allow', 'prefer', 'require', 'verify-ca', 'verify-full'])
      assert.equal(
        normalPostgresUrl(`postgres://a/list?sslmode=${mode}&x=y`),
        'postgres://a/list?sslmode=verify-full&x=y',
      );
    for (const mode of ['disable', 'no-verify'])
      assert.equal(
        normalPostgresUrl(`postgres://a/list?sslmode=${mode}`),
        `postgres://a/list?sslmode=${mode}`,
      );
  });

  it("means the same to PostgreSQL's tools, and the password is not in their command line", () => {
    const tool = (query: string, version = 18, certificates: string | undefined = undefined) =>
      toolAddress(`postgres://me:p%40ss@db/list${query}`, { version, certificates });
    assert.deepEqual(tool(''), { url: 'postgres://me@db/list', password: 'p@ss' });
    const checked = '?sslmode=verify-full&sslrootcert=';
    assert.equal(tool('?sslmode=verify-full').url, `postgres://me@db/list${checked}system`);
    assert.equal(tool('?ssl=true').url, `postgres://me@db/list${checked}system`);
    assert.equal(tool('?sslmode=verify-full', 15).url, 'postgres://me@db/list?sslmode=require');
    assert.equal(
      tool('?sslmode=verify-full&sslrootcert=/ca.pem').url,
      `postgres://me@db/list${checked}%2Fca.pem`,
    );
    assert.equal(tool('?sslmode=no-verify&sslrootcert=/ca.pem').url, 'postgres://me@db/list?sslmode=require');
    assert.equal(tool('?ssl=true', 18, '/extra.pem').url, `postgres://me@db/list${checked}%2Fextra.pem`);
    assert.equal(tool('?sslmode=disable').url, 'postgres://me@db/list?sslmode=disable');
    const several = toolAddress('postgres://me:pw@a:1,b:2/list?sslmode=disable', {
      version: 18,
      certificates: undefined,
    });
    assert.deepEqual(several, {
      url: 'postgres://me@a:1,b:2/list?sslmode=disable&target_session_attrs=read-write',
      password: 'pw',
    });
    assert.equal(
      tool('?pgbouncer=true&schema=public&statement_timeout=5000&connect_timeout=9&options=-c%20jit%3Doff')
        .url,
      'postgres://me@db/list?connect_timeout=9&options=-c%20jit%3Doff',
    );
    const socket = toolAddress('postgres://me:pw@%2Frun%2Fpg/list', { version: 18, certificates: undefined });
    assert.deepEqual(socket, { url: 'postgres://me@%2Frun%2Fpg/list', password: 'pw' });
  });
});
