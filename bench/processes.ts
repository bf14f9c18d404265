import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { buildProgram } from '../build/program.ts';
import { freePort } from '../test/support/free-port.ts';

const ROOT = path.join(import.meta.dirname, '..');
const DOORLIST = [path.join(ROOT, 'bin/doorlist')];
const PROGRAM_DIRECTORY = path.join(ROOT, 'dist.bench');
/** How `bin/doorlist` runs the program of a package. */
const PACKAGED = [
  'env',
  'MALLOC_ARENA_MAX=2',
  'MALLOC_MMAP_THRESHOLD_=131072',
  path.join(ROOT, 'bin/node'),
  '--max-semi-space-size=16',
  path.join(PROGRAM_DIRECTORY, 'main.js'),
];
const BARE_PIPELINE = path.join(import.meta.dirname, 'bare-pipeline.ts');
const BARE = path.join(import.meta.dirname, 'bare.ts');

/** A busy machine may take long to create the schema. */
const PATIENCE_MS = 60_000;

export interface Running {
  url: string;
  pid: number;
  /** Memory of its own, in bytes. Not what is mapped from files, which the system can take back. */
  privateMemory(): number;
  /** Resident memory of the process, in bytes. */
  memory(): number;
  /** The part of it that is mapped from files, such as the program and SQLite's database. The system can take it back. */
  mappedMemory(): number;
  /** Open files and sockets. */
  descriptors(): number;
  /** What it has logged so far. */
  logBytes(): number;
  /** Processor time of all its threads so far. */
  cpuSeconds(): number;
  stop(): Promise<void>;
}

export interface RunningDoorlist extends Running {
  /** Runs a command and returns its JSON. */
  command<T = Record<string, string>>(...words: string[]): T;
  /** Returns the milliseconds from its start until it is ready. Only to be stopped afterwards: its process is another one. */
  restart(): Promise<number>;
}

export function startBare(): Promise<Running> {
  return startNode(BARE);
}

/** Has its data in a directory of its own, or in the database given. */
export async function startBarePipeline(variables: Record<string, string> = {}): Promise<Running> {
  const directory = mkdtempSync(path.join(tmpdir(), 'doorlist-bare-'));
  const running = await startNode(BARE_PIPELINE, { DOORLIST_DATA_DIR: directory, ...variables });
  const stop = async () => {
    await running.stop();
    rmSync(directory, { recursive: true, force: true });
  };
  return { ...running, stop };
}

/** A script that serves at `PORT`. */
export async function startNode(script: string, variables: Record<string, string> = {}): Promise<Running> {
  const port = await freePort();
  return launch(process.execPath, [script], port, { PORT: String(port), ...variables });
}

/** As it is installed from a package. */
export async function startPackaged(environment: Record<string, string> = {}): Promise<RunningDoorlist> {
  await buildProgram(PROGRAM_DIRECTORY);
  return startDoorlist(environment, PACKAGED);
}

export async function startDoorlist(
  environment: Record<string, string> = {},
  program: readonly string[] = DOORLIST,
): Promise<RunningDoorlist> {
  const port = await freePort();
  const dataDir = mkdtempSync(path.join(tmpdir(), 'doorlist-bench-'));
  const variables = {
    PORT: String(port),
    DOORLIST_DATA_DIR: dataDir,
    DOORLIST_RATE_LIMIT_INVITE_CHECK: '0',
    ...environment,
  };
  const [command = '', ...words] = program;
  const start = () => launch(command, [...words, 'serve'], port, variables);
  let running = await start();
  return {
    ...running,
    command: (...rest) =>
      JSON.parse(
        execFileSync(command, [...words, ...rest, '--json'], {
          env: { ...process.env, ...variables },
          encoding: 'utf8',
        }),
      ),
    restart: async () => {
      await running.stop();
      const startedAt = performance.now();
      running = await start();
      return performance.now() - startedAt;
    },
    stop: async () => {
      await running.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function launch(
  program: string,
  words: string[],
  port: number,
  variables: Record<string, string>,
): Promise<Running> {
  const directory = mkdtempSync(path.join(tmpdir(), 'doorlist-log-'));
  const logFile = path.join(directory, 'log');
  const log = openSync(logFile, 'w'); // The log is written to a file, as in production.
  const said = path.join(directory, 'said'); // How to start, and why it did not.
  const saying = openSync(said, 'w');
  const child = spawn(program, words, {
    env: { ...process.env, ...variables },
    stdio: ['ignore', log, saying],
  });
  const exited = once(child, 'exit');
  const url = `http://127.0.0.1:${port}`;
  await reachable(`${url}/readyz`, child).catch((error: Error) => {
    throw new Error(`${error.message}\n${readFileSync(said, 'utf8')}`, { cause: error });
  });
  return {
    url,
    pid: child.pid ?? 0,
    privateMemory: () => privateBytes(child.pid ?? 0),
    memory: () => statusBytes(child.pid ?? 0, 'VmRSS'),
    mappedMemory: () => statusBytes(child.pid ?? 0, 'RssFile'),
    descriptors: () => readdirSync(`/proc/${child.pid}/fd`).length,
    logBytes: () => statSync(logFile).size,
    cpuSeconds: () => cpuSeconds(child.pid ?? 0),
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
      for (const file of [log, saying]) closeSync(file);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function reachable(url: string, child: ChildProcess): Promise<void> {
  for (const giveUpAt = performance.now() + PATIENCE_MS; performance.now() < giveUpAt; ) {
    if (child.exitCode !== null) throw new Error(`${child.spawnargs.join(' ')} ended with ${child.exitCode}`);
    if (
      await fetch(url).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return;
    await setTimeout(20);
  }
  child.kill('SIGKILL');
  throw new Error(`nothing answers at ${url}`);
}

function statusBytes(pid: number, field: string): number {
  const match = new RegExp(`${field}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(match?.[1] ?? 0) * 1024;
}

/** Memory that it shares with no other process. */
export function privateBytes(pid: number): number {
  const [, kilobytes = 0] =
    /^Anonymous:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}

const CLOCK_TICKS_PER_SECOND = 100;

function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / CLOCK_TICKS_PER_SECOND; // In user mode, and in the kernel.
}
