import { connect, createServer, type Socket } from 'node:net';

/** A proxy between the service and its database that can be cut or go silent. */
export async function startTcpProxy(target: { host: string; port: number }) {
  const sockets = new Set<Socket>();
  let cut = false;
  let deaf = false;
  let heardAt = performance.now();
  const goSilent = (incoming: Socket, outgoing: Socket) => {
    for (const socket of [incoming, outgoing]) {
      socket.unpipe();
      socket.removeAllListeners('close'); // Neither side learns of the other's end.
      socket.on('close', () => sockets.delete(socket));
      socket.resume(); // Incoming data is read and discarded.
    }
  };
  const passing = new Set<[Socket, Socket]>();
  const server = createServer((incoming) => {
    if (cut) {
      incoming.destroy();
      return;
    }
    const outgoing = connect(target.port, target.host);
    for (const socket of [incoming, outgoing]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        incoming.destroy();
        outgoing.destroy();
      });
    }
    incoming.on('data', () => {
      heardAt = performance.now();
    });
    incoming.pipe(outgoing).pipe(incoming);
    if (deaf) goSilent(incoming, outgoing);
    else passing.add([incoming, outgoing]);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const hangUp = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as { port: number }).port,
    cut: () => {
      cut = true;
      hangUp();
    },
    /** Drops the packets of existing connections from now on; with `all`, also those of new ones. */
    silence: ({ all = false } = {}) => {
      deaf = all;
      for (const pair of passing) goSilent(...pair);
      passing.clear();
    },
    /** How long no client has sent anything. */
    quietMs: () => performance.now() - heardAt,
    restore: () => {
      cut = false;
      deaf = false;
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        hangUp();
      }),
  };
}
