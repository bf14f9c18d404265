import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { afterTest } from './support/cleanup.ts';
import { freePort } from './support/free-port.ts';
import { clientFor, forEachEngine, startService } from './support/harness.ts';
import { runCommand, startProcess } from './support/process.ts';
import { scriptOf } from './support/program.ts';
import { open, parseAnswers, rawRequest } from './support/raw-http.ts';
import { createStorage, type Storage } from './support/storage.ts';
import { jsonOf, runHere } from './support/terminal.ts';
import { until } from './support/webhooks.ts';

const MAIN = scriptOf('main');
const LONGER_THAN_TESTS_MS = 3_600_000;

describe('the command line', () => {
  it('knows the usual words for help and version', async () => {
    const { stdout: help } = await runHere({}, 'help');
    for (const words of [[], ['-h'], ['--help']]) assert.equal((await runHere({}, ...words)).stdout, help);
    const { stdout: version } = await runHere({}, '--version');
    assert.match(version, /^\d+\.\d+\.\d+\n$/);
    for (const word of ['-v', 'version']) assert.equal((await runHere({}, word)).stdout, version);
  });

  it('shows the help of a group and of a command, wherever the word stands', async () => {
    const { stdout: group } = await runHere({}, 'help', 'key');
    assert.match(group, /key create .*\n[\s\S]*key rotate/);
    assert.doesNotMatch(group, /waitlist create/);
    for (const words of [
      ['key', '--help'],
      ['key', '-h'],
    ])
      assert.deepEqual(await runHere({}, ...words), { code: 0, stdout: group, stderr: '' });
    const { stdout: command } = await runHere({}, 'key', 'create', '--help');
    assert.match(command, /^doorlist key create /);
    for (const words of [
      ['key', 'create', '-h'],
      ['help', 'key', 'create'],
    ])
      assert.equal((await runHere({}, ...words)).stdout, command);
    for (const words of [
      ['help', 'nothing'],
      ['nothing', '--help'],
      ['key', 'nothing', '-h'],
    ])
      assert.equal((await runHere({}, ...words)).code, 2, words.join(' '));
  });

  for (const [room, bytes] of [
    ['no room', 64 * 1024],
    ['room for a part', 60 * 1024],
  ] as const)
    it(`says that its output did not fit on the disk: ${room}`, async (test) => {
      const small = mkdtempSync(path.join(tmpdir(), 'doorlist-small-'));
      afterTest(() => rmSync(small, { recursive: true }));
      if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', small]).status !== 0)
        return test.skip('needs a small file system, and only root may mount one');
      afterTest(() => spawnSync('umount', [small]));
      writeFileSync(path.join(small, 'ballast'), Buffer.alloc(bytes));
      const file = openSync(path.join(small, 'output'), 'w');
      const { status, stderr } = spawnSync(process.execPath, [MAIN, 'help'], {
        stdio: ['ignore', file, 'pipe'],
        encoding: 'utf8',
      });
      closeSync(file);
      assert.equal(
        stderr,
        'doorlist: cannot write to standard output: no space left on device. What the command did was not undone: check it before you run it again.\n',
      );
      assert.equal(status, 1);
    });

  it('appends its output to a file', async () => {
    const directory = mkdtempSync(path.join(tmpdir(), 'doorlist-test-'));
    afterTest(() => rmSync(directory, { recursive: true }));
    const output = path.join(directory, 'output');
    writeFileSync(output, 'before\n');
    const file = openSync(output, 'a');
    const { status } = spawnSync(process.execPath, [MAIN, '--version'], {
      stdio: ['ignore', file, 'ignore'],
    });
    closeSync(file);
    assert.equal(status, 0);
    assert.match(readFileSync(output, 'utf8'), /^before\n\d+\.\d+\.\d+\n$/);
  });

  it('ends quietly when nobody reads its output any more', async () => {
    const { PATH = '', HOME = '' } = process.env;
    const child = spawn(process.execPath, [MAIN, 'help'], {
      env: { PATH, HOME },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout.destroy();
    let stderr = '';
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    const [code] = await once(child, 'close');
    assert.deepEqual([code, stderr], [0, '']);
  });
});

describe('a running server', () => {
  let storage: Storage;
  before(async () => {
    storage = await createStorage('sqlite', { migrated: true });
  });
  after(() => storage.remove());

  it('keeps its log and what is for people apart, stays after SIGHUP and SIGUSR1, and names what it ignores', async () => {
    const server = await startProcess({
      ...storage.environment,
      DOORLIST_PORT: 'tcp://10.0.0.7:3000',
      DOORLIST_SERVICE_HOST: '10.0.0.7',
    });
    afterTest(server.stop);
    server.child.kill('SIGHUP');
    await until('the signal is logged', () => server.output().includes('got SIGHUP'));
    server.child.kill('SIGUSR1');
    await until('so is this one', () => server.output().includes('got SIGUSR1'));
    assert.doesNotMatch(server.output(), /Debugger listening/);
    assert.equal((await clientFor(server.url).request('GET', '/healthz')).status, 200);
    const welcome = server.output();
    assert.match(welcome, /\/setup\/[\w-]{43}/);
    const { code, stdout } = await server.stop();
    assert.equal(code, 0);
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.doesNotMatch(stdout, /\/setup\//);
    const ignored = lines.filter(({ variables }) => variables);
    assert.deepEqual(
      ignored.map(({ variables }) => variables),
      [['DOORLIST_PORT', 'DOORLIST_SERVICE_HOST']],
    );
  });

  it('keeps serving when the disk of its log is full, and logs again when there is room', async (test) => {
    const small = mkdtempSync(path.join(tmpdir(), 'doorlist-small-'));
    afterTest(() => rmSync(small, { recursive: true }));
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', small]).status !== 0)
      return test.skip('needs a small file system, and only root may mount one');
    afterTest(() => spawnSync('umount', [small]));
    const ballast = path.join(small, 'ballast');
    writeFileSync(ballast, Buffer.alloc(60 * 1024));
    const log = path.join(small, 'log');
    const file = openSync(log, 'a');
    const { PATH = '', HOME = '' } = process.env;
    const child = spawn(process.execPath, [MAIN, 'serve'], {
      env: {
        PATH,
        HOME,
        PORT: '0',
        DOORLIST_STOP_DELAY: '0s',
        DOORLIST_LOG_REQUESTS: 'all',
        ...storage.environment,
      },
      stdio: ['ignore', file, 'pipe'],
    });
    closeSync(file);
    const ended = once(child, 'close');
    afterTest(() => {
      child.kill('SIGKILL');
      return ended;
    });
    let said = '';
    child.stderr?.on('data', (chunk) => {
      said += chunk;
    });
    await until('it is ready', () => /ready at http:\S+:\d+/.test(said));
    const { request } = clientFor(/ready at (http:\S+)/.exec(said)?.[1] ?? '');
    const problem =
      'doorlist: cannot write the log to standard output: no space left on device. The server keeps running, and drops lines until this works again.\n';
    await until('the disk is full', async () => {
      assert.equal((await request('GET', '/nowhere')).status, 404);
      return said.includes(problem);
    });
    assert.equal((await request('GET', '/readyz')).status, 200);
    rmSync(ballast);
    await until('there is room', async () => {
      assert.equal((await request('GET', '/nowhere')).status, 404);
      return readFileSync(log, 'utf8').includes('"msg":"log: lines were dropped"');
    });
    assert.equal(said.split(problem).length, 2, 'once');
    child.kill('SIGTERM');
    assert.deepEqual(await ended, [0, null]);
    const lines = readFileSync(log, 'utf8').trim().split('\n');
    const dropped = lines.findIndex((line) => line.includes('"msg":"log: lines were dropped"'));
    const { level, lines: count, reason } = JSON.parse(lines[dropped] ?? '');
    assert.deepEqual([level, reason, count > 0], ['warn', 'no space left on device', true]);
    for (const line of lines.slice(dropped)) JSON.parse(line);
    // Not always the last line: that of a request comes once its connection is told of the answer.
    assert.match(lines.slice(dropped).join('\n'), /"signal":"SIGTERM"/);
  });

  it('starts and stops although nothing can be printed', async (test) => {
    if (!existsSync('/dev/full')) return test.skip('the system has no device that is always full');
    const full = openSync('/dev/full', 'w');
    const port = await freePort();
    const { PATH = '', HOME = '' } = process.env;
    const child = spawn(process.execPath, [MAIN, 'serve'], {
      env: { PATH, HOME, PORT: String(port), DOORLIST_STOP_DELAY: '0s', ...storage.environment },
      stdio: ['ignore', full, full],
    });
    closeSync(full);
    const ended = once(child, 'close');
    afterTest(() => {
      child.kill('SIGKILL');
      return ended;
    });
    const { request } = clientFor(`http://127.0.0.1:${port}`);
    const answers = () =>
      request('GET', '/readyz').then(
        ({ status }) => status === 200,
        () => false,
      );
    await until('it is ready', () => child.exitCode !== null || answers());
    child.kill('SIGTERM');
    assert.deepEqual(await ended, [0, null]);
  });

  it('says when it has no file descriptor left, and when it has some again', async (test) => {
    if (process.platform !== 'linux') return test.skip('other systems count differently');
    const script = `ulimit -n 64 && exec ${process.execPath} ${MAIN} serve`;
    const { PATH = '', HOME = '' } = process.env;
    const child = spawn('sh', ['-c', script], { env: { PATH, HOME, PORT: '0', ...storage.environment } });
    afterTest(async () => {
      child.kill('SIGKILL');
      await once(child, 'close');
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        said += chunk;
      });
    await until('it is ready', () => /ready at http:\S+:\d+/.test(said));
    const port = Number(/ready at http:\S+:(\d+)/.exec(said)?.[1]);
    const sockets = Array.from({ length: 80 }, () => connect(port, '127.0.0.1').on('error', () => {}));
    afterTest(() => sockets.forEach((socket) => void socket.destroy()));
    await until('the line', () => /"msg":"file descriptors: used up"/.test(said));
    assert.match(
      said,
      /"code":"EMFILE","reason":"new connections are refused: raise the limit of open files/,
    );
  });
});

forEachEngine('start', (engine) => {
  describe('the log of a server', () => {
    it('has no line for a health check, at the level that is set by default', async () => {
      const service = await startService(engine);
      afterTest(service.close);
      await service.request('GET', '/openapi.json');
      for (const path of ['/healthz', '/readyz'])
        assert.equal((await service.request('GET', path)).status, 200);
      await service.request('GET', '/openapi.json');
      await until(
        'both requests',
        () => service.log.filter((line) => line.includes('/openapi.json')).length === 2,
      );
      assert.doesNotMatch(service.log.join(''), /healthz|readyz/);
    });
  });

  describe('a master key file', () => {
    it('that is missing is called missing', async () => {
      const storage = await createStorage(engine);
      afterTest(storage.remove);
      await jsonOf(storage.environment, 'migrate');
      const file = path.join(storage.dataDir, 'master.key');
      rmSync(file);
      for (const words of [['migrate'], ['waitlist', 'list']]) {
        const { code, stderr } = await runHere(storage.environment, ...words);
        // A disk may not be mounted yet. A server says so at once, to whoever starts it.
        assert.equal(code, words[0] === 'migrate' ? 1 : 75, stderr);
        assert.ok(stderr.startsWith(`doorlist: There is no master key in ${file}, `), stderr);
        assert.match(stderr, /Nothing was changed\.\n$/);
      }
    });
  });
});

describe('a server that gets a signal twice', () => {
  const stopDuringRequest = async (sameSignalMs: number) => {
    const storage = await createStorage('sqlite', { migrated: true });
    afterTest(storage.remove);
    const server = await startProcess(
      { ...storage.environment, LIMITS: JSON.stringify({ sameSignalMs }) },
      { script: scriptOf('serve-process') },
    );
    afterTest(() => server.stop('SIGKILL'));
    const { socket, received } = open(server.url);
    afterTest(() => socket.destroy());
    const body = '{"payload":""}';
    const headers = { 'content-type': 'application/json', 'content-length': String(body.length) };
    socket.write(rawRequest('POST', '/sdk/v1/waitlist/webhooks/verify', headers));
    // Answered behind the half-sent one, so that one has arrived as well.
    await clientFor(server.url).request('GET', '/openapi.json');
    server.child.kill('SIGINT');
    await until('it stops', () => server.output().includes('stopping: finishing running requests'));
    server.child.kill('SIGINT');
    return { server, received, finish: () => socket.write(body) };
  };

  it('answers what it has begun to read, if npm has passed on one press of Ctrl+C', async () => {
    const { server, received, finish } = await stopDuringRequest(LONGER_THAN_TESTS_MS);
    server.child.kill('SIGHUP');
    await until('it got both', () => server.output().includes('got SIGHUP'));
    finish();
    const [answer] = parseAnswers(await received);
    assert.equal(answer?.status, 400, answer?.text);
    assert.equal((await server.finished).code, 0);
  });

  it('ends at once if Ctrl+C was pressed again', async () => {
    const { server, received } = await stopDuringRequest(0);
    assert.deepEqual([(await server.finished).code, parseAnswers(await received)], [1, []]);
  });
});

describe('a server under npx', () => {
  it('stops when npx was stopped, which ends only its shell', async () => {
    const storage = await createStorage('sqlite');
    afterTest(storage.remove);
    const environment = { ...storage.environment, npm_lifecycle_event: 'npx' };
    const server = await startProcess(environment, { inShell: true });
    const { stdout } = await server.stop();
    assert.match(stdout, /"signal":"SIGTERM","msg":"stopping: finishing running requests/);
    const again = await startProcess(storage.environment);
    assert.equal((await again.stop()).code, 0, 'the data directory is free');
  });
});

describe('the start message on PostgreSQL', () => {
  it('names the data directory if the master key is there, and only then', async () => {
    const storage = await createStorage('postgres');
    afterTest(storage.remove);
    const inFile = await startProcess(storage.environment);
    await inFile.stop();
    assert.ok(inFile.output().includes(`(PostgreSQL, master key in ${storage.dataDir})`));
    assert.match(inFile.output(), /same DATABASE_URL:\n {2}export DOORLIST_DATA_DIR='?\//);
    const { stdout: key } = await runCommand(storage.environment, 'master-key', 'show');
    const DOORLIST_MASTER_KEY = /[A-Za-z0-9+/]{43}=/.exec(key)?.[0] ?? '';
    const inVariable = await startProcess({ ...storage.environment, DOORLIST_MASTER_KEY });
    await inVariable.stop();
    assert.match(inVariable.output(), /\(PostgreSQL\)/);
    assert.match(inVariable.output(), /same DATABASE_URL and DOORLIST_MASTER_KEY:/);
    assert.ok(!/^Doorlist[\s\S]*/m.exec(inVariable.output())?.[0].includes(storage.dataDir));
  });
});
