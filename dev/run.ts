import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createLogger, createServer, type Logger, type ViteDevServer } from 'vite';
import { readConfig } from '../src/config/config.ts';
import { readEnvFile } from '../src/config/env-file.ts';
import { findFreePort } from './free-port.ts';
import { proxyTo } from './proxy.ts';

const DASHBOARD_PORT = 5173;

/**
 * `npm run dev`: the server, which restarts when a file in src changes, and in front of it the dashboard, which
 * reloads when a file in web changes. Operands are flags for the server's Node, such as `--inspect`.
 */
const nodeFlags = process.argv.slice(2);
const environment = { ...readEnvFile('.env'), ...process.env };
const { host, port: wanted } = readConfig(environment);
const port = await findFreePort(host, wanted);
if (port !== wanted && wanted !== 0) console.log(`Port ${wanted} is in use. The server uses ${port}.`);

const dashboard = await startDashboard();
const address = addressOf(dashboard);
console.log(`
Dashboard: ${address} (reloads when web/ changes)
Server:    ${urlOf(port)} (restarts when src/ changes)
`);
const server = startServer();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
server.once('exit', stop);

async function startDashboard(): Promise<ViteDevServer> {
  const vite = await createServer({
    configFile: path.join(import.meta.dirname, '../web/vite.config.ts'),
    clearScreen: false,
    customLogger: quietLogger(),
    server: { host, port: DASHBOARD_PORT, proxy: proxyTo(urlOf(port)) },
  });
  return vite.listen();
}

/** Without a stack trace for each request that comes while the server restarts. */
function quietLogger(): Logger {
  const logger = createLogger();
  const { error } = logger;
  logger.error = (text, options) => {
    if (!text.includes('proxy error')) error(text, options);
  };
  return logger;
}

/** In a process group of its own: Ctrl-C goes to this process, which stops the server once and waits for it. */
function startServer(): ChildProcess {
  const script = path.join(import.meta.dirname, 'server.ts');
  const flags = [...nodeFlags, `--watch-path=${path.join(import.meta.dirname, '../src')}`];
  return spawn(process.execPath, [...flags, '--watch-preserve-output', script], {
    env: { DOORLIST_PUBLIC_URL: address, ...process.env, PORT: String(port) },
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: true,
  });
}

let stopping = false;
async function stop(): Promise<void> {
  if (stopping) return; // npm passes on a signal that the terminal has sent already.
  stopping = true;
  const running = server.exitCode === null && server.signalCode === null;
  const ended = running ? once(server, 'exit') : undefined;
  server.kill('SIGTERM');
  await Promise.all([ended, dashboard.close()]);
  process.exit(0);
}

function addressOf({ httpServer }: ViteDevServer): string {
  const address = httpServer?.address();
  if (typeof address !== 'object' || address === null) throw new Error('the dashboard is not listening');
  return urlOf(address.port);
}

function urlOf(at: number): string {
  const local = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${local.includes(':') ? `[${local}]` : local}:${at}`;
}
