import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { scriptOf } from './program.ts';

/** For a command to end, or a server to start or stop. Long, because machines can be busy. */
const PATIENCE_MS = 90_000;

/** What a server prints for people once it is ready. */
const WELCOME = /^\nDoorlist is ready at .*?\n(?:[^\n]*\n)*? {4}-d '\{"waitlistId".*\n\n/m;

export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface RunningProcess {
  readonly url: string;
  readonly child: ChildProcess;
  /** Everything it has printed so far. */
  output(): string;
  /** Sends the signal and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<Finished>;
  readonly finished: Promise<Finished>;
}

/** Runs `doorlist WORDS…` as a separate process and waits for its end. */
export async function runCommand(environment: Record<string, string>, ...words: string[]): Promise<Finished> {
  const child = launch(environment, words);
  return within(child, follow(child).finished);
}

/** The same as another user, or of another release. */
export async function runCommandAs(
  how: Pick<How, 'uid' | 'gid' | 'script'>,
  environment: Record<string, string>,
  ...words: string[]
): Promise<Finished> {
  const child = launch(environment, words, how);
  return within(child, follow(child).finished);
}

/** For commands that are not left to finish. */
export function startCommand(
  environment: Record<string, string>,
  ...words: string[]
): { child: ChildProcess; finished: Promise<Finished> } {
  return startCommandAs({}, environment, ...words);
}

export function startCommandAs(
  how: Pick<How, 'script'>,
  environment: Record<string, string>,
  ...words: string[]
): { child: ChildProcess; finished: Promise<Finished> } {
  const child = launch(environment, words, how);
  return { child, finished: follow(child).finished };
}

/** Runs a command, which must succeed, and returns its JSON. */
export async function commandJson<T = Record<string, unknown>>(
  environment: Record<string, string>,
  ...words: string[]
): Promise<T> {
  const { code, stdout, stderr } = await runCommand(environment, ...words, '--json');
  if (code !== 0) throw new Error(`doorlist ${words.join(' ')} failed: ${stderr}${stdout}`);
  return JSON.parse(stdout) as T;
}

/** Starts the real server as a separate process and waits until it serves. */
export async function startProcess(
  environment: Record<string, string>,
  how: How = {},
): Promise<RunningProcess> {
  const { words = ['serve'], ...user } = how;
  const child = launch(environment, words, user);
  const { finished: ended, output } = follow(child);
  const finished = ended.then((all) => ({ ...all, stderr: all.stderr.replace(WELCOME, '') }));
  const ready = new Promise<string>((resolve, reject) => {
    child.stderr?.on('data', () => {
      const address = /ready at (http:\S+)/.exec(output())?.[1];
      if (address) resolve(address);
    });
    finished.then(
      ({ code, stderr }) => reject(new Error(`the server ended with ${code}: ${stderr}`)),
      reject,
    );
  });
  return {
    url: await within(child, ready),
    child,
    output,
    finished,
    stop: (signal = 'SIGTERM') => {
      child.kill(signal);
      return within(child, finished);
    },
  };
}

interface How {
  /** A command that serves, if not `serve`. */
  words?: string[];
  script?: string;
  /** Starts it in a shell, which gets the signals. */
  inShell?: boolean;
  uid?: number;
  gid?: number;
}

/** Port 3000 may be in use, there is no load balancer to wait for, and the same happens on any number of processors. */
const DEFAULTS = { PORT: '0', DOORLIST_STOP_DELAY: '0s', DOORLIST_WORKERS: '1' };

function launch(
  environment: Record<string, string>,
  words: string[],
  { script = scriptOf('main'), inShell = false, ...user }: Omit<How, 'words'> = {},
): ChildProcess {
  // Nothing else from our environment, such as a DATABASE_URL. The cache takes a quarter off the time of a start.
  const { PATH = '', HOME = '', NODE_COMPILE_CACHE = '' } = process.env;
  const command = [process.execPath, script, ...words];
  const [program = '', ...rest] = inShell ? ['sh', '-c', '"$@"; exit', 'sh', ...command] : command;
  return spawn(program, rest, {
    env: { PATH, HOME, NODE_COMPILE_CACHE, ...DEFAULTS, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...user,
  });
}

function follow(child: ChildProcess): { finished: Promise<Finished>; output(): string } {
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    stderr += chunk;
  });
  const finished = once(child, 'close').then(([code]) => ({ code: code as number | null, stdout, stderr }));
  return { finished, output: () => stdout + stderr };
}

/** Kills a process that takes too long. */
async function within<T>(child: ChildProcess, promise: Promise<T>): Promise<T> {
  const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}
