import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startTcpProxy } from '../test/support/tcp-proxy.ts';
import { between, type Run } from './scenario.ts';

const STEPPING_CLOCK = path.join(import.meta.dirname, '..', 'test', 'support', 'stepping-clock.ts');
const HOUR_MS = 3_600_000;

export async function killAgainAndAgain({ site, random, rounds }: Run): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    await between(random, 100, 600);
    const which = Math.floor(random() * site.ports.length);
    site.ledger.fault();
    await site.end(which, 'SIGKILL');
    await site.start(which);
  }
}

/** A server that neither answers nor dies, as on a machine that swaps or was suspended. */
export async function suspend({ site, random, rounds }: Run): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    await between(random, 200, 600);
    const server = site.servers[Math.floor(random() * site.ports.length)];
    site.ledger.fault();
    server?.child.kill('SIGSTOP');
    await between(random, 500, 3_000);
    server?.child.kill('SIGCONT');
  }
}

/** The first server loses its database, and the others keep it. */
export async function cutOff({ site, random, rounds }: Run): Promise<void> {
  const url = new URL(site.storage.environment.DATABASE_URL ?? '');
  const proxy = await startTcpProxy({ host: url.hostname, port: Number(url.port) });
  url.port = String(proxy.port);
  site.environments[0] = { DATABASE_URL: url.href };
  await site.end(0, 'SIGTERM');
  await site.start(0);
  try {
    for (let round = 0; round < rounds; round += 1) {
      await between(random, 200, 600);
      site.ledger.fault();
      if (random() < 0.5) proxy.cut();
      else proxy.silence();
      await between(random, 200, 2_000);
      proxy.restore();
    }
    site.environments[0] = {};
    await site.end(0, 'SIGKILL');
    await site.start(0);
  } finally {
    await proxy.close();
  }
}

/** One at a time, behind a load balancer that follows /readyz. */
export async function restartInTurn({ site, random, rounds }: Run): Promise<void> {
  site.environments[0] = { DOORLIST_STOP_DELAY: '2s' };
  site.environments[1] = { DOORLIST_STOP_DELAY: '2s' };
  for (let round = 0; round < rounds; round += 1) {
    await between(random, 300, 800);
    const which = round % site.ports.length;
    await site.end(which, 'SIGTERM');
    await site.start(which);
    await sleep(500); // Until the balancer has noticed.
  }
}

/** As after a suspended machine, which is hours behind, and as by a time server: back by seconds. */
export async function stepClocks({ site, random, rounds }: Run): Promise<void> {
  const clocks = site.ports.map((port) => ({
    file: path.join(site.storage.dataDir, `clock-${port}`),
    skewMs: 0,
  }));
  for (const [which, { file }] of clocks.entries()) {
    site.environments[which] = { CLOCK_SKEW_FILE: file, NODE_OPTIONS: `--import ${STEPPING_CLOCK}` };
    await site.end(which, 'SIGTERM');
    await site.start(which);
  }
  for (let round = 0; round < rounds; round += 1) {
    await between(random, 200, 800);
    const which = Math.floor(random() * clocks.length);
    const clock = clocks[which];
    if (!clock) continue;
    clock.skewMs += Math.round(random() < 0.5 ? random() * HOUR_MS : -random() * 30_000);
    writeFileSync(clock.file, String(clock.skewMs));
    site.ledger.fault();
    site.servers[which]?.child.kill('SIGUSR2');
  }
}
