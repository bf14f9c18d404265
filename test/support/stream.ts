import { type Agent, get, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';

/** A reader of server-sent events. */
export interface Stream {
  headers: IncomingHttpHeaders;
  /** The data of the next event with this name. */
  next(event: string): Promise<unknown>;
  /** Resolves when the server has ended it. */
  ended: Promise<void>;
  close(): void;
}

export async function openStream(
  url: string,
  headers: Record<string, string>,
  agent: Agent | false = false,
): Promise<Stream> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { headers, agent }, resolve).on('error', reject);
  });
  if (response.statusCode !== 200) throw new Error(`the stream was answered with ${response.statusCode}`);
  const waiting = new Map<string, ((data: unknown) => void)[]>();
  const arrived = new Map<string, unknown[]>();
  let text = '';
  response.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const [, event, data] = /^event: (.+)\ndata: (.+)$/.exec(block) ?? [];
      if (event === undefined || data === undefined) continue;
      const taker = waiting.get(event)?.shift();
      if (taker) taker(JSON.parse(data));
      else arrived.set(event, [...(arrived.get(event) ?? []), JSON.parse(data)]);
    }
  });
  return {
    headers: response.headers,
    next: (event) =>
      new Promise((resolve) => {
        const [first, ...rest] = arrived.get(event) ?? [];
        arrived.set(event, rest);
        if (first !== undefined) resolve(first);
        else waiting.set(event, [...(waiting.get(event) ?? []), resolve]);
      }),
    ended: new Promise((resolve) => response.once('end', resolve)),
    close: () => response.destroy(),
  };
}
