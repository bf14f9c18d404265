import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import { createMetrics } from '../src/server/metrics.ts';
import type { Context } from '../src/waitlist/queue/context.ts';
import type { Signups } from '../src/waitlist/signup/signup.ts';
import { setConfirmation } from '../src/waitlist/upkeep/confirmations.ts';
import { setEndpointEnabled } from '../src/webhooks/change-endpoints.ts';
import { afterTest } from './support/cleanup.ts';
import { freePort } from './support/free-port.ts';
import { forEachEngine, startService } from './support/harness.ts';
import { commandJson, type RunningProcess, runCommand, startProcess } from './support/process.ts';
import { findProgram, without } from './support/programs.ts';
import { createStorage } from './support/storage.ts';
import { jsonOf } from './support/terminal.ts';
import { endpointFor, until } from './support/webhooks.ts';

const DEPLOY = path.join(import.meta.dirname, '../deploy');
const ALERTS = path.join(DEPLOY, 'prometheus/alerts.yml');
/** The other engine does not have them. */
const ONLY_ON = {
  sqlite: ['doorlist_sqlite_wal_bytes', 'doorlist_disk_free_bytes'],
  postgres: ['doorlist_db_pool_connections', 'doorlist_db_pool_waiting'],
};

/** Every series of a scrape, such as `doorlist_db_up` or `doorlist_jobs{state="queued"}`. */
async function scrape(url: string, headers: Record<string, string> = {}): Promise<Map<string, number>> {
  const response = await fetch(url, { headers });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  assert.match(response.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

function metricsUrl({ output }: RunningProcess): string {
  const url = /^Metrics: (\S+)$/m.exec(output())?.[1];
  assert.ok(url, output());
  return url;
}

interface Answered {
  data: {
    result?: { value: [number, string] }[];
    groups?: { rules: { health: string; lastError?: string }[] }[];
  };
}

/** Returns the address of its API. */
async function startPrometheus(targets: readonly string[]): Promise<string> {
  const directory = mkdtempSync(path.join(tmpdir(), 'doorlist-prometheus-'));
  afterTest(() => rmSync(directory, { recursive: true, force: true }));
  const config = path.join(directory, 'prometheus.json');
  const scrapes = { job_name: 'doorlist', static_configs: [{ targets }] };
  const settings = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: [ALERTS],
    scrape_configs: [scrapes],
  };
  writeFileSync(config, JSON.stringify(settings)); // Which is also YAML.
  const program = findProgram('Prometheus') ?? '';
  execFileSync(path.join(path.dirname(program), 'promtool'), ['check', 'config', config], { stdio: 'pipe' });
  const port = await freePort();
  const child = spawn(program, [
    `--config.file=${config}`,
    `--storage.tsdb.path=${path.join(directory, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ]);
  afterTest(() => stop(child));
  const api = `http://127.0.0.1:${port}/api/v1`;
  await until('Prometheus is ready', () =>
    fetch(`http://127.0.0.1:${port}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  return api;
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill();
  await ended;
}

describe('the alert rules', { skip: without('Prometheus') }, () => {
  /** Whether an alert fires after half an hour in which a series had these values, one a minute. */
  const firing = (...series: [name: string, values: string][]) => firingAfter('30m', '1m', ...series);
  const promtool = (test: Record<string, unknown>) => {
    const directory = mkdtempSync(path.join(tmpdir(), 'doorlist-rules-'));
    afterTest(() => rmSync(directory, { recursive: true, force: true }));
    const file = path.join(directory, 'rules.json');
    writeFileSync(
      file,
      JSON.stringify({ rule_files: [ALERTS], evaluation_interval: test.interval, tests: [test] }),
    );
    const program = path.join(path.dirname(findProgram('Prometheus') ?? ''), 'promtool');
    execFileSync(program, ['test', 'rules', file], { stdio: 'pipe' });
  };
  const inputOf = (series: readonly (readonly [name: string, values: string])[], interval = '1m') => ({
    interval,
    input_series: series.map(([name, values]) => ({ series: name, values })),
  });
  const firingAfter = (time: string, interval: string, ...series: [name: string, values: string][]) => {
    const check = (isFiring: (alert: string) => boolean) => {
      const ask = (alert: string) => ({
        expr: `count(ALERTS{alertname="${alert}",alertstate="firing"})`,
        eval_time: time,
        exp_samples: isFiring(alert) ? [{ labels: '{}', value: 1 }] : [],
      });
      promtool({ ...inputOf(series, interval), promql_expr_test: NAMES.map(ask) });
    };
    return (...expected: string[]) => {
      for (const alert of expected) assert.ok(NAMES.includes(alert), alert);
      check((alert) => expected.includes(alert));
    };
  };
  const NAMES = [...readFileSync(ALERTS, 'utf8').matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);
  /** Of an instance that is scraped under any name. */
  const of = (name: string, labels = '') => `${name}{job="web",instance="a:9464"${labels}}`;
  const up = [of('doorlist_build_info', ',version="1.0.0"'), '1x20000'] as const;
  it('are silent while all is well', () => {
    firing(
      [...up],
      [of('up'), '1x40'],
      [of('doorlist_db_up'), '1x40'],
      [of('doorlist_health', ',check="disk"'), '0x40'],
      [of('doorlist_health_timestamp_seconds'), '0+60x40'],
    )();
  });

  it('notice a server that does not answer, and that there is none', () => {
    firing([of('doorlist_build_info'), '1x20 _x20'], [of('up'), '1x20 0x20'])('DoorlistDown');
    firing(['up{job="other"}', '0x40'])('DoorlistMissing');
    firing([of('doorlist_build_info'), '1x20 stale'])('DoorlistMissing');
  });

  it('notice what the Health page calls wrong, not what is at risk, and that it cannot look', () => {
    const health = (values: string) => [of('doorlist_health', ',check="wave"'), values] as const;
    const looked = [of('doorlist_health_timestamp_seconds'), '0+60x40'] as const;
    const writable = [of('doorlist_db_up'), '1x40'] as const;
    firing([...up], [...writable], [...looked], [...health('1x40')])();
    firing([...up], [...writable], [...looked], [...health('0x20 2x20')])('DoorlistHealth');
    firing([...up], [...writable])('DoorlistHealthUnknown');
    firing([...up], [of('doorlist_db_up'), '0x40'])('DoorlistDatabaseDown');
  });

  it('notice what is damaged, until it can be read again', () => {
    const damaged = (values: string) => [of('doorlist_damaged', ',what="entry"'), values] as const;
    firing([...up], [...damaged('0x40')])();
    firing([...up], [...damaged('0x20 1x20')])('DoorlistDamaged');
    firing([...up], [...damaged('2x20 0x20')])();
  });

  it('notice the first delivery that is given up', () => {
    const attempts = of('doorlist_delivery_attempts_total', ',channel="email",outcome="failed"');
    firing([...up], [attempts, '0x20 1x20'])('DoorlistDeliveriesGivenUp');
  });

  it('notice a backlog of signups before they are refused, whatever the limit is', () => {
    const backlog = (values: string, limit: number) =>
      firing(
        [...up],
        [of('doorlist_signup_backlog_entries'), values],
        [of('doorlist_signup_backlog_limit_entries'), `${limit}x40`],
      );
    backlog('0x20 60x20', 100)('DoorlistSignupBacklog');
    backlog('0x20 60x20', 10_000)();
  });

  it('notice a backup that is old, and after a day that there is none', () => {
    const backup = (at: string) => [of('doorlist_last_backup_timestamp_seconds'), at] as const;
    firing([...up], [...backup('0x40')])();
    firingAfter('25h', '4m', [...up], [...backup('0x20000')])('DoorlistNoBackup');
    firingAfter('9d', '4m', [...up], [...backup('60x20000')])('DoorlistBackupOld');
  });

  it('count failed requests among those that matter, not among health checks', () => {
    const requests = (labels: string) => of('doorlist_http_requests_total', `,${labels}`);
    const probes = [requests('route="/readyz",status="200"'), '0+1000x40'] as const;
    const signups = (status: string, values: string) =>
      [requests(`route="/sdk/v1/waitlist/signup",status="${status}"`), values] as const;
    firing(
      [...up],
      [...probes],
      [...signups('201', '0+4x40')],
      [...signups('500', '0+1x40')],
    )('DoorlistErrors');
    firing([...up], [requests('route="/readyz",status="503"'), '0+30x40'], [...signups('201', '0+4x40')])();
  });

  it('name what they are about in their words', () => {
    const on = { job: 'web', instance: 'a:9464' };
    const critical = { severity: 'critical' };
    const warning = { severity: 'warning' };
    const expected: [alert: string, labels: Record<string, string>, summary: string][] = [
      ['DoorlistDown', { ...on, ...critical }, 'Doorlist on a:9464 does not answer.'],
      ['DoorlistDatabaseDown', { ...on, ...critical }, 'Doorlist on a:9464 cannot write to its database.'],
      [
        'DoorlistHealth',
        { job: 'web', check: 'sending emails', ...critical },
        'Doorlist\'s check "sending emails" finds something wrong. Run `status`, or open the Health page.',
      ],
      [
        'DoorlistHealthUnknown',
        { job: 'web', instance: 'b:9464', ...warning },
        'Doorlist on b:9464 cannot check its health. Its log says why.',
      ],
      [
        'DoorlistDamaged',
        { ...on, what: 'wave', ...critical },
        'Doorlist on a:9464 cannot decrypt what it stored (wave). Its log says which, and `doctor` looks at everything.',
      ],
      [
        'DoorlistErrors',
        { ...on, ...critical },
        'More than 1% of the requests to a:9464 fail with a 5xx, health checks aside.',
      ],
      [
        'DoorlistSlowSignups',
        { ...on, ...warning },
        'One in a hundred signups at a:9464 takes longer than a second.',
      ],
      [
        'DoorlistSignupBacklog',
        { ...on, ...warning },
        'Signups at a:9464 arrive faster than the database writes them.',
      ],
      [
        'DoorlistDeliveriesLate',
        { job: 'web', channel: 'webhook', ...warning },
        'A delivery by webhook has waited for more than an hour.',
      ],
      [
        'DoorlistDeliveriesGivenUp',
        { job: 'web', channel: 'email', ...warning },
        'Deliveries by email were given up in the last hour.',
      ],
      ['DoorlistDiskAlmostFull', { ...on, ...critical }, 'Less than 1 GiB is left on the disk of a:9464.'],
      [
        'DoorlistNoConnections',
        { ...on, ...warning },
        'Work at a:9464 waits for a connection to PostgreSQL. Raise DOORLIST_DATABASE_POOL.',
      ],
      [
        'DoorlistSignInGuessing',
        { ...on, ...warning },
        "Somebody may be guessing operators' passwords at a:9464.",
      ],
    ];
    const series: [string, string][] = [
      [...up],
      [of('up'), '1x10 0x30'],
      [of('doorlist_db_up'), '0x40'],
      ['doorlist_db_up{job="web",instance="b:9464"}', '1x40'],
      [of('doorlist_damaged', ',what="wave"'), '1x40'],
      [of('doorlist_health', ',check="sending emails"'), '2x40'],
      [of('doorlist_http_requests_total', ',route="/x",status="500"'), '0+9x40'],
      [
        of('doorlist_http_request_duration_seconds_bucket', ',route="/sdk/v1/waitlist/signup",le="1"'),
        '0x40',
      ],
      [
        of('doorlist_http_request_duration_seconds_bucket', ',route="/sdk/v1/waitlist/signup",le="5"'),
        '0+9x40',
      ],
      [
        of('doorlist_http_request_duration_seconds_bucket', ',route="/sdk/v1/waitlist/signup",le="+Inf"'),
        '0+9x40',
      ],
      [of('doorlist_signup_backlog_entries'), '60x40'],
      [of('doorlist_signup_backlog_limit_entries'), '100x40'],
      [of('doorlist_delivery_oldest_pending_seconds', ',channel="webhook"'), '4000x40'],
      [of('doorlist_delivery_attempts_total', ',channel="email",outcome="failed"'), '0x20 1x20'],
      [of('doorlist_disk_free_bytes'), '1000x40'],
      [of('doorlist_db_pool_waiting'), '1x40'],
      [of('doorlist_sign_in_failures_total'), '0+9x40'],
    ];
    const rules = readFileSync(ALERTS, 'utf8').split('- alert: ').slice(1);
    const naming = rules.filter((rule) => rule.includes('{{ $labels.')).map((rule) => rule.split('\n')[0]);
    assert.deepEqual(
      expected.map(([alert]) => alert).sort(),
      naming.sort(),
      'each that names something is below',
    );
    promtool({
      ...inputOf(series),
      alert_rule_test: expected.map(([alertname, exp_labels, summary]) => ({
        ...{ alertname, eval_time: '30m' },
        exp_alerts: [{ exp_labels, exp_annotations: { summary } }],
      })),
    });
  });
});

forEachEngine((engine) => {
  describe('metrics', () => {
    it('count what happened, without anything personal, on their own port and with an admin token', async () => {
      const storage = await createStorage(engine, { migrated: true });
      afterTest(() => storage.remove());
      const server = await startProcess({
        ...storage.environment,
        PORT: '0',
        DOORLIST_METRICS_PORT: '0',
        DOORLIST_RATE_LIMIT_VERIFY: '1',
      });
      afterTest(() => server.stop());
      await jsonOf(storage.environment, 'waitlist', 'create', 'wl_acme', '--name', 'Acme');
      const { key } = await jsonOf<{ key: string }>(
        storage.environment,
        'key',
        'create',
        '--waitlist',
        'wl_acme',
        '--env',
        'production',
      );
      const signUp = (...emails: string[]) =>
        fetch(`${server.url}/sdk/v1/waitlist/signup`, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: JSON.stringify({ waitlistId: 'wl_acme', entries: emails.map((email) => ({ email })) }),
        }).then((response) => response.text());
      await signUp('ada@example.com', 'grace@example.com');
      await signUp('ada@example.com');
      await jsonOf(
        storage.environment,
        ...['invite', 'create', '--waitlist', 'wl_acme', '--email', 'grace@example.com'],
      );
      const isSqlite = engine === 'sqlite';
      const passphrase = { DOORLIST_BACKUP_PASSPHRASE: 'correct horse battery staple' };
      // A dump of PostgreSQL needs a program that may be missing.
      if (isSqlite)
        await commandJson(
          { ...storage.environment, ...passphrase },
          ...['backup', path.join(storage.dataDir, 'acme.backup')],
        );
      await fetch(`${server.url}/nothing/ada@example.com`);
      for (const _ of [1, 2])
        await fetch(`${server.url}/sdk/v1/waitlist/webhooks/verify`, { method: 'POST', body: '{}' });
      await fetch(`${server.url}/admin/v1/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email: 'nobody@example.com', password: 'a wrong password' }),
      });

      const url = metricsUrl(server);
      await until('the requests are counted', async () => {
        const at = await scrape(url);
        const kept = at.get('doorlist_delivery_attempts_total{channel="email",outcome="kept"}');
        return at.get('doorlist_sign_in_failures_total') === 1 && kept === 1;
      });
      const found = await scrape(url);
      const value = (name: string) => found.get(`doorlist_${name}`);
      const requests = [...found].filter(([name]) => name.startsWith('doorlist_http_requests_total'));
      const ofSignup = requests.filter(([name]) => name.includes('route="/sdk/v1/waitlist/signup"'));
      assert.equal(
        ofSignup.reduce((sum, [, count]) => sum + count, 0),
        2,
      );
      assert.equal(
        value('http_request_duration_seconds_count{route="/sdk/v1/waitlist/signup",method="POST"}'),
        2,
      );
      assert.ok(requests.some(([name]) => name.includes('route="unknown"') && name.includes('status="404"')));
      assert.equal(value('signups_total{result="created"}'), 2);
      assert.equal(value('signups_total{result="skipped"}'), 1);
      assert.equal(value('group_commit_entries_count'), 2);
      assert.equal(value('group_commit_entries_sum'), 3);
      assert.equal(value('signup_backlog_entries'), 0);
      assert.equal(value('rate_limited_total{limit="verify"}'), 1);
      assert.equal(value('db_up'), 1);
      // There is no mail server. A rate needs the 0, or the first failure would not count.
      assert.equal(value('delivery_attempts_total{channel="email",outcome="delivered"}'), 0);
      for (const channel of ['webhook', 'email', 'operator-email', 'alert']) {
        assert.equal(value(`delivery_attempts_total{channel="${channel}",outcome="failed"}`), 0);
        assert.notEqual(value(`deliveries_pending{channel="${channel}"}`), undefined);
        assert.notEqual(value(`delivery_oldest_pending_seconds{channel="${channel}"}`), undefined);
      }
      assert.equal(value('health{check="database"}'), 0);
      assert.equal(value('health{check="mail server"}'), 1, 'an invite is kept in the mailbox');
      assert.equal(value('health{check="backup"}'), isSqlite ? 0 : 1);
      assert.ok(Math.abs(Date.now() / 1000 - (value('health_timestamp_seconds') ?? 0)) < 600);
      for (const state of ['queued', 'running', 'done', 'failed', 'cancelled'])
        assert.equal(value(`jobs{state="${state}"}`), 0);
      assert.equal(found.has('doorlist_sqlite_wal_bytes'), isSqlite);
      assert.equal((value('last_backup_timestamp_seconds') ?? 0) > 1e9, isSqlite);
      assert.equal(value('last_backup_timestamp_seconds') === 0, !isSqlite, 'there is none');
      assert.equal(value('signup_backlog_limit_entries'), 10_000);
      assert.equal((value('disk_free_bytes') ?? 0) > 0, isSqlite);
      assert.equal((value('db_pool_connections{state="idle"}') ?? 0) > 0, !isSqlite);
      assert.ok([...found.keys()].some((name) => name.includes(`engine="${engine}"`)));
      assert.ok(found.has('process_cpu_seconds_total') && found.has('nodejs_eventloop_lag_p99_seconds'));
      const text = await (await fetch(url)).text();
      const described = [...text.matchAll(/^# HELP (\S+)/gm)].map(([, name]) => name);
      const known = new Set([...described, ...ONLY_ON[isSqlite ? 'postgres' : 'sqlite']]);
      for (const file of [ALERTS, path.join(DEPLOY, 'grafana/doorlist.json')])
        for (const [name] of readFileSync(file, 'utf8').matchAll(/\bdoorlist_[a-z_]+/g))
          assert.ok(known.has(name.replace(/_(bucket|sum|count)$/, '')), `${name} in ${path.basename(file)}`);
      assert.doesNotMatch([...found.keys()].join('\n'), /example\.com|wl_acme/);

      const refused = await fetch(`${server.url}/metrics`);
      assert.equal(refused.status, 401);
      assert.deepEqual(Object.keys((await refused.json()) as object), ['code', 'message']);
      const { token } = await jsonOf<{ token: string }>(
        storage.environment,
        'admin-token',
        'create',
        '--name',
        'Prometheus',
        '--role',
        'viewer',
      );
      const throughPublicPort = await scrape(`${server.url}/metrics`, { authorization: `Bearer ${token}` });
      assert.equal(throughPublicPort.get('doorlist_signups_total{result="created"}'), 2);
      assert.equal((await fetch(url.replace('/metrics', '/'))).status, 404);
    });

    it('say that the database is down, or leave out what it does not tell, while it does not answer', async () => {
      const service = await startService(engine);
      afterTest(service.close);
      const { context } = service;
      const silent = (name: 'probe' | 'usage') => ({
        ...context,
        db: { ...context.db, [name]: () => new Promise<never>(() => {}) },
      });
      const read = (parts: Context) => {
        const signups = { waiting: () => 7, mostWaiting: 10 } as Signups;
        return createMetrics()
          .over({ context: parts, signups, others: async () => [], checkHealth: async () => [] })
          .read();
      };
      const [down, slow] = await Promise.all([read(silent('probe')), read(silent('usage'))]);
      assert.match(down, /^doorlist_db_up 0$/m);
      assert.match(down, /^doorlist_signup_backlog_entries 7$/m);
      await setConfirmation(context, 'backup', true);
      assert.doesNotMatch(await read(context), /^doorlist_last_backup/m, 'it is made in another way');
      assert.match(slow, /^doorlist_db_up 1$/m);
      assert.doesNotMatch(slow, /^doorlist_db_bytes/m);
    });

    it('tell how many deliveries are held, and that those of a disabled endpoint do not wait', async () => {
      const service = await startService(engine);
      afterTest(service.close);
      const { context } = service;
      const list = await service.waitlist();
      const queue = await list.queue();
      const { id } = await endpointFor(context, queue, 'https://127.0.0.1:1/');
      await list.signup({ email: 'ada@example.com' }, { email: 'grace@example.com' });
      const signups = { waiting: () => 0, mostWaiting: 10 } as Signups;
      const read = () =>
        createMetrics()
          .over({ context, signups, others: async () => [], checkHealth: async () => [] })
          .read();
      const counts = async () => {
        const page = await read();
        return ['pending', 'held'].map((state) =>
          Number(
            new RegExp(`^doorlist_deliveries_${state}\\{channel="webhook"\\} (\\d+)$`, 'm').exec(page)?.[1],
          ),
        );
      };
      assert.deepEqual(await counts(), [2, 0]);
      await setEndpointEnabled(context, id, false);
      assert.deepEqual(await counts(), [0, 2]);
    });

    const skip = without('Prometheus');
    it('are read by a Prometheus with our alert rules, from two instances', { skip }, async () => {
      const first = await createStorage(engine, { migrated: true });
      afterTest(() => first.remove());
      // An embedded database has one server.
      const second = engine === 'sqlite' ? await createStorage(engine, { migrated: true }) : first;
      if (second !== first) afterTest(() => second.remove());
      const targets: string[] = [];
      for (const { environment } of [first, second]) {
        const server = await startProcess({ ...environment, PORT: '0', DOORLIST_METRICS_PORT: '0' });
        afterTest(() => server.stop());
        targets.push(new URL(metricsUrl(server)).host);
      }
      const api = await startPrometheus(targets);
      const ask = async (what: string) => ((await (await fetch(`${api}${what}`)).json()) as Answered).data;
      await until('both were read', async () => {
        const { result = [] } = await ask('/query?query=doorlist_db_up');
        return result.length === 2 && result.every(({ value }) => value[1] === '1');
      });
      const { groups = [] } = await ask('/rules');
      assert.deepEqual(
        groups.flatMap(({ rules }) => rules.filter(({ health }) => health === 'err')),
        [],
      );
      assert.ok(groups.some(({ rules }) => rules.length > 5));
    });

    it('that cannot have their port say which variable to change', async () => {
      const storage = await createStorage(engine, { migrated: true });
      afterTest(() => storage.remove());
      const first = await startProcess({ ...storage.environment, PORT: '0', DOORLIST_METRICS_PORT: '0' });
      afterTest(() => first.stop());
      const other = await createStorage(engine, { migrated: true });
      afterTest(() => other.remove());
      const { port } = new URL(metricsUrl(first));
      const { code, stderr } = await runCommand(
        { ...other.environment, PORT: '0', DOORLIST_METRICS_PORT: port },
        'serve',
      );
      assert.equal(code, 1);
      assert.match(stderr, new RegExp(`Port ${port} on 127.0.0.1 is already in use.*DOORLIST_METRICS_PORT`));
    });
  });
});
