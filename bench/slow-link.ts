import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

export interface SlowLink {
  /** Of the same database, over this link. */
  url: string;
  /** From now on, the way there and back takes so much longer: not before the schema is there, which takes many. */
  slowDown(roundTripMs: number): void;
  close(): Promise<unknown>;
}

/** A link to a database. It has a thread of its own, because this one waits for commands that use the link. */
export async function startSlowLink(databaseUrl: string): Promise<SlowLink> {
  const worker = new Worker(new URL(import.meta.url), { workerData: databaseUrl });
  const [port] = await once(worker, 'message');
  const url = new URL(databaseUrl);
  url.port = String(port);
  return {
    url: url.href,
    slowDown: (roundTripMs) => worker.postMessage(roundTripMs),
    close: () => worker.terminate(),
  };
}

function serve(databaseUrl: string): void {
  const { hostname, port } = new URL(databaseUrl);
  let roundTripMs = 0;
  parentPort?.on('message', (ms: number) => {
    roundTripMs = ms;
  });
  const pass = (from: Socket, to: Socket) => {
    from.setNoDelay(true);
    // Timers of the same length end in the order in which they began.
    from.on('data', (chunk) => setTimeout(() => to.write(chunk), roundTripMs / 2));
    from.on('error', () => {});
    from.on('close', () => to.destroy());
  };
  const server = createServer((client) => {
    const database = connect(Number(port), hostname);
    pass(client, database);
    pass(database, client);
  });
  server.listen(0, '127.0.0.1', () => parentPort?.postMessage((server.address() as { port: number }).port));
}

if (!isMainThread) serve(workerData);
