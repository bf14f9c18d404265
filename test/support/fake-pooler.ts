import { connect, createServer, type Socket } from 'node:net';

const BACKEND_KEY_DATA = 'K';
const READY_FOR_QUERY = 'Z';

/** Like a pooler, it reports process ids of its own. Each client keeps its session, so what it leaves there shows. */
export async function startFakePooler(databaseUrl: string) {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const database = connect(Number(target.port), target.hostname);
    for (const socket of [client, database]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        database.destroy();
      });
    }
    client.pipe(database);
    let held = Buffer.alloc(0);
    const greet = (chunk: Buffer) => {
      held = Buffer.concat([held, chunk]);
      while (held.length >= 5 && held.length > held.readInt32BE(1)) {
        const message = held.subarray(0, 1 + held.readInt32BE(1));
        held = held.subarray(message.length);
        const kind = String.fromCharCode(message[0] ?? 0);
        if (kind === BACKEND_KEY_DATA) message.writeInt32BE(message.readInt32BE(5) + 1_000_000, 5);
        client.write(message);
        if (kind !== READY_FOR_QUERY) continue;
        database.off('data', greet);
        client.write(held);
        database.pipe(client);
        return;
      }
    };
    database.on('data', greet);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(databaseUrl);
  url.port = String((server.address() as { port: number }).port);
  return {
    url: url.href,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
