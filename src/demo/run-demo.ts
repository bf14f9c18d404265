import path from 'node:path';
import type { Config } from '../config/config.ts';
import { SERVE_LOCK, tryLock } from '../db/sqlite/lock.ts';
import { conflict } from '../lib/errors.ts';
import { randomCode } from '../lib/ids.ts';
import { isThere } from '../lib/private-file.ts';
import { buildDemo } from './build-demo.ts';
import { type DemoMark, emptyDemoDirectory, markDemo, readDemo } from './demo-directory.ts';
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
