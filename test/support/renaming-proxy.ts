import { connect, createServer, type Socket } from 'node:net';

/**
 * Stands between a client and its database, and gives quoted names in statements other ones of the same length: so the
 * server does not know them.
 */
export async function startRenamingProxy(databaseUrl: string, names: Record<string, string>) {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let renamed = 0;
  const rename = (chunk: Buffer): Buffer => {
    let text = chunk.toString('latin1');
    for (const [name, other] of Object.entries(names))
      text = text.replaceAll(`'${name}'`, () => {
        renamed += 1;
        return `'${other}'`;
      });
    return Buffer.from(text, 'latin1');
  };
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
    client.on('data', (chunk: Buffer) => database.write(rename(chunk)));
    database.pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(databaseUrl);
  url.port = String((server.address() as { port: number }).port);
  return {
    url: url.href,
    renamed: () => renamed,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
