import assert from 'node:assert/strict';
import { Agent, type IncomingMessage, request } from 'node:http';
import type { RequestOptions } from './harness.ts';
import { parseJson } from './raw-http.ts';

/** Each thread begins its request ids in its own way. */
const PREFIX = /^req_[0-9a-f]{18}/;

/** A client whose connection one thread of the server has accepted. */
export interface ThreadClient {
  /** Of the thread. */
  readonly name: string;
  request<T = unknown>(method: string, path: string, options?: RequestOptions): Promise<ThreadAnswer<T>>;
  /** For a request with another agent, such as a stream. */
  readonly agent: Agent;
  close(): void;
}

export interface ThreadAnswer<T> {
  status: number;
  text: string;
  body: T;
}

/** One client for each of the server's threads: connects until each has accepted one. */
export async function clientsOfThreads(url: string, threads: number): Promise<ThreadClient[]> {
  const found = new Map<string, ThreadClient>();
  while (found.size < threads) {
    const client = await connectedClient(url);
    if (found.has(client.name)) client.close();
    else found.set(client.name, client);
  }
  return [...found.values()];
}

async function connectedClient(url: string): Promise<ThreadClient> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const first = await send(agent, url, 'GET', '/healthz', {});
  return {
    name: first.thread,
    agent,
    request: async <T>(method: string, path: string, options: RequestOptions = {}) => {
      const { thread, ...answer } = await send(agent, url, method, path, options);
      assert.equal(thread, first.thread, 'another connection was opened');
      return { ...answer, body: parseJson(answer.text) as T };
    },
    close: () => agent.destroy(),
  };
}

/** The thread that sent the answer. */
export function threadOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  return PREFIX.exec(String(headers['x-request-id']))?.[0] ?? '';
}

async function send(
  agent: Agent,
  url: string,
  method: string,
  path: string,
  { key, headers = {}, body }: RequestOptions,
): Promise<{ status: number; text: string; thread: string }> {
  const sent = body === undefined ? undefined : JSON.stringify(body);
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const all = {
      ...(sent === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(sent)) }),
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...headers,
    };
    request(url + path, { method, agent, headers: all }, resolve)
      .on('error', reject)
      .end(sent);
  });
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  return { status: response.statusCode ?? 0, text, thread: threadOf(response) };
}
