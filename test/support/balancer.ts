import { Agent, createServer, request } from 'node:http';

const PROBE_EVERY_MS = 100;

interface Upstream {
  readonly port: number;
  readonly agent: Agent;
  ready: boolean;
}

/** Sends each request once, over kept connections, to the servers whose /readyz answers 200. */
export async function startBalancer(ports: readonly number[]) {
  const upstreams = ports.map(
    (port): Upstream => ({ port, agent: new Agent({ keepAlive: true }), ready: false }),
  );
  let turn = 0;
  let closed = false;
  const server = createServer((incoming, outgoing) => {
    const ready = upstreams.filter((upstream) => upstream.ready);
    const upstream = ready[turn++ % Math.max(1, ready.length)];
    const fail = (reason: string) => {
      if (!outgoing.headersSent) outgoing.writeHead(502);
      outgoing.end(reason);
    };
    if (!upstream) return fail('no server is ready');
    const { method = 'GET', url: path = '/', headers } = incoming;
    const { connection: _, ...rest } = headers;
    const forwarded = request({ port: upstream.port, agent: upstream.agent, method, path, headers: rest });
    forwarded.on('error', (error) => fail(error.message));
    forwarded.on('response', (answer) => {
      const { connection: _, 'keep-alive': __, ...kept } = answer.headers;
      outgoing.writeHead(answer.statusCode ?? 502, kept);
      answer.pipe(outgoing);
    });
    incoming.pipe(forwarded);
  });
  const probe = async (upstream: Upstream) => {
    while (!closed) {
      const answer = await fetch(`http://127.0.0.1:${upstream.port}/readyz`).catch(() => undefined);
      upstream.ready = answer?.status === 200;
      await answer?.text().catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, PROBE_EVERY_MS));
    }
  };
  const probing = upstreams.map(probe);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    isReady: (port: number) => upstreams.some((upstream) => upstream.port === port && upstream.ready),
    close: async () => {
      closed = true;
      await Promise.all(probing);
      for (const { agent } of upstreams) agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
