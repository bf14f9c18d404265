import { randomInt } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

/**
 * Below those that outgoing connections and servers without a port of their own get, so that nobody takes it before
 * its server starts or while that restarts. Nor is it given to anybody else until this process ends.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_240, 32_768);
    if (reserve(port) && (await isFree(port))) return port;
  }
}

const marks: string[] = [];
process.once('exit', () => {
  for (const mark of marks) rmSync(mark, { recursive: true, force: true });
});

function reserve(port: number): boolean {
  const mark = path.join(tmpdir(), `doorlist-port-${port}`);
  try {
    mkdirSync(mark);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
  marks.push(mark);
  return true;
}

function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  return new Promise((resolve) => {
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
