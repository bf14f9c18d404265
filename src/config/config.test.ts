import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, describe, it } from 'node:test';
import { readConfig } from './config.ts';
import { ConfigProblem } from './variable.ts';
import { VARIABLES } from './variables.ts';

const KEY = Buffer.alloc(32, 1).toString('base64');

describe('readConfig', () => {
  it('has a default for everything', () => {
    const { masterKey, databaseUrl, ...rest } = readConfig({});
    assert.deepEqual([masterKey, databaseUrl], [undefined, undefined]);
    assert.deepEqual([rest.host, rest.port, rest.dataDir], ['127.0.0.1', 3000, './data']);
    assert.equal(rest.publicUrl, 'http://127.0.0.1:3000');
    assert.deepEqual(rest.trustedProxies, []);
    const { inviteCheck, inviteAccept, verify, authFailures, perKey } = rest.rateLimits;
    assert.deepEqual([inviteCheck, inviteAccept, verify, authFailures, perKey], [600, 300, 600, 60, 0]);
  });

  it('treats an empty variable as unset', () => {
    assert.deepEqual(
      readConfig({ PORT: '', DATABASE_URL: '', DOORLIST_MASTER_KEY: '', DOORLIST_TRUSTED_PROXIES: '' }),
      readConfig({}),
    );
  });

  it('refuses sessions that would end at once', () => {
    for (const name of ['DOORLIST_SESSION_IDLE', 'DOORLIST_SESSION_LIFETIME'])
      for (const value of ['0s', '0h', '59s'])
        assert.throws(() => readConfig({ [name]: value }), new RegExp(`${name}: must be at least 1m`));
    assert.equal(readConfig({ DOORLIST_SESSION_IDLE: '60s' }).sessions.idleMs, 60_000);
  });

  it('reads the variables that are set', () => {
    const config = readConfig({
      HOST: '::',
      PORT: '8080',
      DATABASE_URL: 'postgres://db/doorlist',
      DOORLIST_MASTER_KEY: KEY,
      DOORLIST_PUBLIC_URL: 'https://wait.example.com/',
      DOORLIST_TRUSTED_PROXIES: '10.0.0.0/8, ::1',
      DOORLIST_RATE_LIMIT_VERIFY: '0',
    });
    assert.equal(config.port, 8080);
    assert.equal(config.databaseUrl, 'postgres://db/doorlist');
    assert.equal(config.masterKey, KEY);
    assert.equal(config.publicUrl, 'https://wait.example.com');
    assert.deepEqual(config.trustedProxies, ['10.0.0.0/8', '::1']);
    assert.equal(config.rateLimits.verify, 0);
    assert.equal(readConfig({ HOST: '::', PORT: '80' }).publicUrl, 'http://[::]:80');
  });

  it('takes an address or a name to listen on, and nothing around it', () => {
    for (const name of ['HOST', 'DOORLIST_METRICS_HOST']) {
      for (const host of ['0.0.0.0', '::', '::1', 'fe80::1%eth0', 'localhost', 'my_host.internal'])
        assert.doesNotThrow(() => readConfig({ [name]: host }), host);
      for (const host of ['[::1]', '0.0.0.0 1', 'http://127.0.0.1', '127.0.0.1:4923', '*'])
        assert.throws(() => readConfig({ [name]: host }), {
          message: `${name}: must be an IP address or host name of this machine, without a port or brackets, such as 127.0.0.1, 0.0.0.0 or ::1`,
        });
    }
  });

  it('says that quotation marks are not part of a value', () => {
    const url = 'postgres://me:hunter2@db/list';
    for (const quote of ['"', "'"])
      for (const [name, value] of Object.entries({
        PORT: '80',
        DATABASE_URL: url,
        DOORLIST_DATA_DIR: '/data',
        DOORLIST_MASTER_KEY: KEY,
      }))
        assert.throws(() => readConfig({ [name]: `${quote}${value}${quote}` }), {
          message: `${name}: has quotation marks around the value. Remove them`,
        });
    const file = path.join(mkdtempSync(path.join(tmpdir(), 'doorlist-test-')), 'key');
    after(() => rmSync(path.dirname(file), { recursive: true }));
    writeFileSync(file, `"${KEY}"\n`);
    assert.throws(() => readConfig({ DOORLIST_MASTER_KEY_FILE: file }), {
      message: 'DOORLIST_MASTER_KEY_FILE: has quotation marks around the value. Remove them',
    });
    const said = readConfig({ DOORLIST_BACKUP_PASSPHRASE: '"twelve characters"' });
    assert.equal(said.backupPassphrase, '"twelve characters"');
  });

  it('names spaces around a value, which nobody sees, unless they do no harm', () => {
    for (const [name, value] of Object.entries({
      PORT: '80 ',
      HOST: ' 0.0.0.0',
      DOORLIST_ROLE: 'api\n',
      DOORLIST_LOG_LEVEL: 'info\r',
      DOORLIST_DATA_DIR: '/data ',
    }))
      assert.throws(() => readConfig({ [name]: value }), {
        message: `${name}: has a space or line break around the value. Remove it`,
      });
    const url = 'postgres://me:hunter2@db/list';
    const { databaseUrl, masterKey } = readConfig({
      DATABASE_URL: ` ${url} \n`,
      DOORLIST_MASTER_KEY: `${KEY}\n`,
    });
    assert.deepEqual([databaseUrl, masterKey], [url, KEY]);
  });

  it('names both variables if requests and metrics would share a port', () => {
    const shared = (...hosts: string[]) =>
      readConfig({
        ...{ PORT: '4000', DOORLIST_METRICS_PORT: '4000' },
        ...{ HOST: hosts[0], DOORLIST_METRICS_HOST: hosts[1] },
      });
    for (const hosts of [[], ['0.0.0.0'], ['::', '10.0.0.7'], ['10.0.0.7', '0.0.0.0']])
      assert.throws(() => shared(...hosts), {
        message: 'DOORLIST_METRICS_PORT: must be another port than PORT, which is 4000',
      });
    assert.equal(shared('10.0.0.7', '127.0.0.1').metricsPort, 4000);
    assert.equal(readConfig({ PORT: '0', DOORLIST_METRICS_PORT: '0' }).metricsPort, 0);
    assert.throws(() => readConfig({ DOORLIST_METRICS_PORT: '3000' }), /PORT, which is 3000/);
  });

  it('does not call a variable missing that is only wrong', () => {
    const wrong = (environment: Record<string, string>, ...problems: string[]) =>
      assert.throws(() => readConfig(environment), { message: problems.join('\n') });
    wrong(
      { DOORLIST_SMTP_URL: 'smtp://mail', DOORLIST_MAIL_FROM: 'nobody' },
      'DOORLIST_MAIL_FROM: must be an email address in ASCII',
    );
    wrong(
      {
        DATABASE_URL: 'mysql://db',
        DATABASE_LISTEN_URL: 'postgres://db/a',
        DATABASE_REPLICA_URL: 'postgres://db/a',
      },
      'DATABASE_URL: must be a URL that starts with postgres:// or postgresql://',
    );
    wrong(
      { DOORLIST_MASTER_KEY: 'x', DOORLIST_MASTER_KEY_NEXT: KEY },
      'DOORLIST_MASTER_KEY: must be 32 bytes in base64',
    );
    wrong(
      { DOORLIST_SMTP_URL: 'smtp://mail' },
      'DOORLIST_MAIL_FROM: is required when DOORLIST_SMTP_URL is set',
    );
  });

  it('accepts exactly the log levels that it describes', () => {
    const { name, about } = VARIABLES.logLevel;
    const described = about
      .replace('Minimum log level: ', '')
      .match(/[a-z]+/g)
      ?.filter((word) => word !== 'or');
    const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];
    const accepted = levels.filter((level) => {
      try {
        return readConfig({ [name]: level }).logLevel === level;
      } catch {
        return false;
      }
    });
    assert.deepEqual(accepted, described);
  });

  it('lists every problem at once', () => {
    const bad = {
      PORT: '70000',
      DATABASE_URL: 'mysql://db',
      DOORLIST_MASTER_KEY: 'short',
      DOORLIST_PUBLIC_URL: 'wait.example.com',
      DOORLIST_LOG_LEVEL: 'loud',
      DOORLIST_SIGNUP_BACKLOG: '1',
      DOORLIST_RATE_LIMIT_VERIFY: '-1',
    };
    assert.throws(
      () => readConfig(bad),
      (error: Error) => {
        assert.ok(error instanceof ConfigProblem);
        const lines = error.message.split('\n');
        assert.deepEqual(lines.map((line) => line.split(':')[0]).sort(), Object.keys(bad).sort());
        return true;
      },
    );
  });

  it('never repeats a secret in an error message', () => {
    assert.throws(
      () => readConfig({ DOORLIST_MASTER_KEY: 'my secret', DATABASE_URL: 'x://user:hunter2@db' }),
      ({ message }: Error) => !/my secret|hunter2/.test(message),
    );
  });

  it('rejects unknown variables and suggests the nearest name', () => {
    const message = (environment: Record<string, string>) => {
      try {
        readConfig(environment);
      } catch (error) {
        return (error as Error).message;
      }
    };
    assert.equal(
      message({ DOORLIST_DATADIR: '/var/lib/doorlist' }),
      'DOORLIST_DATADIR: unknown variable. Did you mean DOORLIST_DATA_DIR?',
    );
    assert.equal(
      message({ DOORLIST_SMTP_ULR: '', DOORLIST_COLOUR_OF_THE_SKY: 'blue' }),
      'DOORLIST_SMTP_ULR: unknown variable. Did you mean DOORLIST_SMTP_URL?\nDOORLIST_COLOUR_OF_THE_SKY: unknown variable.',
    );
    assert.equal(message({ DOORLIST_TEST_SEED: '1', SOMETHING_ELSE: '1' }), undefined);
  });

  it('asks about names outside of DOORLIST_ that are misspelled, unless the right one is set', () => {
    const near: [string, string][] = [
      ['DATABASE_URI', 'DATABASE_URL'],
      ['DATABSE_URL', 'DATABASE_URL'],
      ['DATABASE_ULR', 'DATABASE_URL'],
      ['database_url', 'DATABASE_URL'],
      ['DATABASE_LISTEN_URI', 'DATABASE_LISTEN_URL'],
      ['DOORLST_SMTP_URL', 'DOORLIST_SMTP_URL'],
      ['DOOR_LIST_DATA_DIR', 'DOORLIST_DATA_DIR'],
    ];
    for (const [given, meant] of near)
      assert.throws(() => readConfig({ [given]: 'x' }), {
        message: `${given}: unknown variable. Did you mean ${meant}?`,
      });
    readConfig({ DATABASE_URI: 'x', DATABASE_URL: 'postgres://db/doorlist' });
    for (const others of ['DATABASE_USER', 'DATABASE_SSL', 'DATABASE_HOST', 'POST', 'HOSTS', 'SMTP_URL'])
      readConfig({ [others]: 'x' });
  });

  it('takes a public URL with a path', () => {
    const publicUrl = (text: string) => readConfig({ DOORLIST_PUBLIC_URL: text }).publicUrl;
    assert.equal(publicUrl('https://acme.example/waitlist/'), 'https://acme.example/waitlist');
    assert.equal(publicUrl('https://ACME.example/a/b_c-d.e~f'), 'https://acme.example/a/b_c-d.e~f');
    const refused: [string, RegExp][] = [
      ['https://acme.example/?a=1', /must not have a query or a fragment/],
      ['https://acme.example/?', /must not have a query or a fragment/],
      ['https://acme.example/waitlist#top', /must not have a query or a fragment/],
      ['https://ada:secret@acme.example', /must not have a user name or password/],
      ['https://acme.example/a b', /its path may have only/],
      ['https://acme.example/a;b', /its path may have only/],
      ['https://acme.example//a', /its path may have only/],
      ['https://acme.example/docs', /its path must not start with \/docs/],
      ['https://acme.example/w/list', /its path must not start with \/w/],
      ['https://', /must be a URL/],
    ];
    for (const [text, message] of refused) {
      assert.throws(() => publicUrl(text), message, text);
      assert.throws(
        () => publicUrl(text),
        (error: Error) => !error.message.includes('secret'),
      );
    }
  });

  it('rejects values that are nearly right', () => {
    const wrong: Record<string, string[]> = {
      PORT: ['-1', '65536', '80a', '0x50', ' 80', '8e1', '1.5'],
      DATABASE_URL: ['postgres', 'http://db', '/var/lib'],
      DOORLIST_SMTP_URL: ['smtp://', 'smtps://:587', 'smtp://user:password@', 'smtp:mail.example.com'],
      DOORLIST_MASTER_KEY: [
        'x',
        `${KEY}A`,
        KEY.slice(4),
        KEY.replace('=', ''),
        `${KEY.slice(0, -2)}B=`,
        Buffer.alloc(33).toString('base64'),
      ],
      DOORLIST_TRUSTED_PROXIES: [
        'proxy.local',
        '10.0.0.0/33',
        '10.0.0',
        '300.1.1.1',
        '::1/129',
        '10.0.0.1 10.0.0.2',
        '1:2:3',
      ],
    };
    for (const [name, values] of Object.entries(wrong)) {
      for (const value of values)
        assert.throws(() => readConfig({ [name]: value }), ConfigProblem, `${name}=${value}`);
    }
  });

  it('requires the current master key when the next one is set', () => {
    assert.throws(() => readConfig({ DOORLIST_MASTER_KEY_NEXT: KEY }), ConfigProblem);
    assert.equal(readConfig({ DOORLIST_MASTER_KEY: KEY, DOORLIST_MASTER_KEY_NEXT: KEY }).masterKeyNext, KEY);
  });

  it('ignores what Kubernetes injects for a service named doorlist, and still refuses misspelled names', () => {
    const injected = {
      DOORLIST_SERVICE_HOST: '10.0.0.7',
      DOORLIST_SERVICE_PORT: '3000',
      DOORLIST_SERVICE_PORT_HTTP: '3000',
      DOORLIST_PORT: 'tcp://10.0.0.7:3000',
      DOORLIST_PORT_3000_TCP: 'tcp://10.0.0.7:3000',
      DOORLIST_PORT_3000_TCP_PROTO: 'tcp',
      DOORLIST_PORT_3000_TCP_PORT: '3000',
      DOORLIST_PORT_3000_TCP_ADDR: '10.0.0.7',
      DOORLIST_STAGING_SERVICE_HOST: '10.0.0.8',
      DOORLIST_STAGING_PORT: 'tcp://10.0.0.8:3000',
    };
    const { ignoredVariables, ...rest } = readConfig(injected);
    assert.deepEqual(ignoredVariables, Object.keys(injected));
    assert.deepEqual({ ...rest, ignoredVariables: [] }, readConfig({}));
    assert.throws(() => readConfig({ DOORLIST_PORT: '3000' }), /DOORLIST_PORT: unknown variable/);
    assert.throws(() => readConfig({ DOORLIST_SERVICE: 'x' }), /DOORLIST_SERVICE: unknown variable/);
  });

  it('reads the variables of OpenTelemetry, and traces nothing without a collector', () => {
    const endpoint = 'http://127.0.0.1:4318';
    assert.equal(readConfig({ OTEL_SERVICE_NAME: 'acme' }).tracing, undefined);
    const { resource, ...usual } = readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }).tracing ?? {};
    assert.deepEqual(usual, { endpoint, headers: {}, sampler: 'parentbased_always_on', ratio: 1 });
    const { 'service.instance.id': instance, ...named } = resource ?? {};
    assert.deepEqual(named, { 'service.name': 'doorlist' });
    assert.match(instance ?? '', /^[0-9a-f]{8}-[0-9a-f]{4}-4/, 'what OpenTelemetry recommends');
    const given = readConfig({
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20a=b, x-team=ops',
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=acme,service.instance.id=one',
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
    });
    assert.deepEqual(given.tracing, {
      endpoint,
      headers: { authorization: 'Bearer a=b', 'x-team': 'ops' },
      resource: { 'service.name': 'acme', 'service.instance.id': 'one' },
      sampler: 'parentbased_traceidratio',
      ratio: 0.25,
    });
    for (const [name, value] of [
      ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
      ['OTEL_EXPORTER_OTLP_HEADERS', 'authorization'],
      ['OTEL_RESOURCE_ATTRIBUTES', 'a=%'],
      ['OTEL_TRACES_SAMPLER', 'sometimes'],
      ['OTEL_TRACES_SAMPLER_ARG', '2'],
    ] as const)
      assert.throws(() => readConfig({ [name]: value }), { message: new RegExp(`^${name}: must be `) });
  });

  describe('a secret in a file', () => {
    const directory = mkdtempSync(path.join(tmpdir(), 'doorlist-config-'));
    after(() => rmSync(directory, { recursive: true, force: true }));
    const file = (name: string, text: string) => {
      writeFileSync(path.join(directory, name), text);
      return path.join(directory, name);
    };

    it('is read for every variable that holds one, without the newline at the end', () => {
      const url = 'postgres://me:hunter2@db/list';
      const config = readConfig({
        DATABASE_URL_FILE: file('url', `${url}\n`),
        DATABASE_LISTEN_URL_FILE: file('listen', `${url}\r\n`),
        DOORLIST_COPY_TO_FILE: file('copy', url),
        DOORLIST_MASTER_KEY_FILE: file('key', `${KEY}\n`),
        DOORLIST_MASTER_KEY_NEXT_FILE: file('next', KEY),
        DOORLIST_BACKUP_PASSPHRASE_FILE: file('passphrase', ' a b \n'),
        DOORLIST_SMTP_URL_FILE: file('smtp', 'smtps://me:hunter2@mail\n'),
        DOORLIST_MAIL_FROM: 'a@example.com',
        DOORLIST_WEBHOOK_PROXY_FILE: file('proxy', 'http://me:hunter2@proxy\n'),
        OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example.com',
        OTEL_EXPORTER_OTLP_HEADERS_FILE: file('headers', 'api-key=hunter2\n'),
      });
      assert.deepEqual([config.databaseUrl, config.databaseListenUrl, config.copyTo], [url, url, url]);
      assert.deepEqual(
        [config.masterKey, config.masterKeyNext, config.backupPassphrase],
        [KEY, KEY, ' a b '],
      );
      assert.deepEqual(
        [config.smtpUrl, config.webhookProxy],
        ['smtps://me:hunter2@mail', 'http://me:hunter2@proxy'],
      );
      assert.deepEqual(config.tracing?.headers, { 'api-key': 'hunter2' });
    });

    it('is refused by its own name if the file is missing, empty or wrong, or the secret is given twice', () => {
      const missing = path.join(directory, 'missing');
      const problems = (environment: Record<string, string>, wanted: RegExp) =>
        assert.throws(() => readConfig(environment), { name: 'ConfigProblem', message: wanted });
      problems(
        { DATABASE_URL_FILE: missing },
        /^DATABASE_URL_FILE: cannot read .*missing: no such file or directory$/,
      );
      problems(
        { DOORLIST_MASTER_KEY_FILE: file('empty', '\n') },
        /^DOORLIST_MASTER_KEY_FILE: .*empty is empty$/,
      );
      problems(
        { DOORLIST_MASTER_KEY_FILE: file('wrong', 'x') },
        /^DOORLIST_MASTER_KEY_FILE: must be 32 bytes in base64$/,
      );
      problems(
        { DATABASE_URL: 'postgres://db/list', DATABASE_URL_FILE: file('again', 'postgres://db/list') },
        /^DATABASE_URL_FILE: cannot be set together with DATABASE_URL$/,
      );
      problems(
        { PORT_FILE: 'x', DOORLIST_LOG_LEVEL_FILE: 'x' },
        /^DOORLIST_LOG_LEVEL_FILE: unknown variable/,
      );
    });
  });
});
