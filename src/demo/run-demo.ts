import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../config/config.ts';
import { SERVE_LOCK, tryLock } from '../db/sqlite/lock.ts';
import { conflict, invalid } from '../lib/errors.ts';
import { createPrivateFile, isThere } from '../lib/files.ts';
import { randomCode } from '../lib/ids.ts';
import { buildDemo } from './build-demo.ts';
import { type MailCatcher, startMailCatcher } from './mail-catcher.ts';
import { OWNER_EMAIL } from './product.ts';
import { RECEIVER_HOST, startReceiver } from './receiver.ts';

interface DemoOptions {
  dir: string;
  entries: number;
  /** Replaces an earlier demo. */
  fresh: boolean;
  onDay?: (day: number) => void;
}

export interface Demo {
  email: string;
  password: string;
  built: boolean;
  builtAt: number;
  /** With which to serve it. */
  config: Config;
  /** Ends what receives its webhooks and emails. */
  close(): Promise<void>;
}

const PASSWORD_CHARACTERS = 16;
/** The story must not reach into the future, and settling takes a moment of it. */
const END_BEFORE_MS = 60_000;

/** Builds the demo unless it is there, and starts what receives its webhooks and emails. */
export async function openDemo(config: Config, options: DemoOptions): Promise<Demo> {
  const { dir, entries, fresh } = options;
  const found = readDemo(dir);
  const isKept = found !== undefined && !fresh;
  if (!isKept) requireStopped(dir);
  const receiver = await startReceiver(isKept ? found.receiverPort : 0);
  const catcher = await startMailCatcher();
  const close = async () => {
    await receiver.close();
    await catcher.close();
  };
  const own = configFor(config, dir, receiver.port, catcher);
  if (isKept) return demoOf(found, false, own, close);
  const mark: DemoMark = {
    password: randomCode(PASSWORD_CHARACTERS),
    receiverPort: receiver.port,
    builtAt: null,
  };
  try {
    await emptyDemoDirectory(dir);
    await markDemo(dir, mark);
    const { password, receiverPort } = mark;
    const end = Date.now() - END_BEFORE_MS;
    const onDay = options.onDay ?? (() => {});
    await buildDemo(own, { entries, password, receiverPort, end, onDay });
    const finished = { ...mark, builtAt: Date.now() };
    await markDemo(dir, finished);
    return demoOf(finished, true, own, close);
  } catch (error) {
    await close();
    throw error;
  }
}

function demoOf({ password, builtAt }: DemoMark, built: boolean, config: Config, close: Demo['close']): Demo {
  return { email: OWNER_EMAIL, password, built, builtAt: builtAt ?? 0, config, close };
}

/** A running demo would lose its files. */
function requireStopped(dir: string): void {
  if (!isThere(path.join(dir, SERVE_LOCK))) return;
  const release = tryLock(dir, SERVE_LOCK);
  if (!release) throw conflict(`the demo in ${dir} is running: stop it first`);
  release();
}

/** Nothing of the real installation, and nothing that could leave this machine. */
function configFor(config: Config, dir: string, receiverPort: number, { url }: MailCatcher): Config {
  const { host, port } = config;
  return {
    ...config,
    dataDir: dir,
    databaseUrl: undefined,
    role: 'all',
    databaseListenUrl: undefined,
    databaseReplicaUrl: undefined,
    masterKey: undefined,
    masterKeyNext: undefined,
    smtpUrl: url,
    smtpRate: 0,
    mailFrom: 'hello@orbit.example',
    dkim: undefined,
    bounceAddress: undefined,
    publicUrl: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    webhookAllow: [RECEIVER_HOST],
    webhookProxy: `http://${RECEIVER_HOST}:${receiverPort}`,
  };
}

const MARK_FILE = 'demo.json';

/** What is in the directory of a demo, besides its database. */
interface DemoMark {
  password: string;
  receiverPort: number;
  /** null while it is being built. */
  builtAt: number | null;
}

/** Returns undefined if there is nothing, or only an unfinished demo. Refuses what is not a demo. */
function readDemo(dir: string): DemoMark | undefined {
  const names = namesIn(dir);
  if (names.length === 0) return undefined;
  if (!names.includes(MARK_FILE))
    throw invalid(`${path.resolve(dir)} is not empty and is not a demo: choose another directory with --dir`);
  const mark = JSON.parse(readFileSync(path.join(dir, MARK_FILE), 'utf8')) as DemoMark;
  return mark.builtAt === null ? undefined : mark;
}

/** Deletes an earlier demo in the directory. Anything else was refused by `readDemo`. */
async function emptyDemoDirectory(dir: string): Promise<void> {
  for (const name of namesIn(dir)) await rm(path.join(dir, name), { recursive: true });
  await mkdir(dir, { recursive: true, mode: 0o700 });
}

async function markDemo(dir: string, mark: DemoMark): Promise<void> {
  const file = await createPrivateFile(path.join(dir, MARK_FILE));
  await file.writeFile(JSON.stringify(mark));
  await file.close();
}

/** The mark goes last, so that a deletion that was interrupted can be continued. */
function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir).sort((a, b) => Number(a === MARK_FILE) - Number(b === MARK_FILE));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return [];
    throw invalid(code === 'ENOTDIR' ? `${dir} is not a directory` : `cannot read ${dir} (${code})`);
  }
}
