import { connect, type Socket } from 'node:net';

const PATIENCE_MS = 60_000;

export interface RawAnswer {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  text: string;
  body: unknown;
}

/** Bytes to write as they are, or something to do with the connection and wait for. */
export type Piece = string | Uint8Array | ((socket: Socket) => unknown);

/** Writes bytes to a server piece by piece, and reads until it closes the connection. */
export async function exchange(url: string, pieces: Piece[]): Promise<RawAnswer[]> {
  const { socket, received } = open(url);
  for (const piece of pieces) {
    if (typeof piece === 'function') await piece(socket);
    else if (socket.writable) socket.write(piece);
  }
  return parseAnswers(await received);
}

/** Returns the only response to a single request. */
export async function exchangeOne(url: string, ...pieces: Piece[]): Promise<RawAnswer> {
  const answers = await exchange(url, pieces);
  const [answer] = answers;
  if (answers.length !== 1 || !answer) throw new Error(`expected one answer, got ${answers.length}`);
  return answer;
}

/** A request as text. It asks to close the connection unless the headers say otherwise. */
export function rawRequest(
  method: string,
  target: string,
  headers: Record<string, string> = {},
  body: string | Uint8Array = '',
): Buffer {
  const bytes = Buffer.from(body as string);
  const all: Record<string, string> = {
    host: 'localhost',
    connection: 'close',
    ...(bytes.length > 0 ? { 'content-length': String(bytes.length) } : {}),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([
    Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1'),
    bytes,
  ]);
}

/** Stays open until the test ends it. `received` resolves when the server has closed the connection. */
export function open(url: string): { socket: Socket; received: Promise<Buffer> } {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  const received = new Promise<Buffer>((resolve, reject) => {
    const timer = setTimeout(() => {
      socket.destroy();
      const got = Buffer.concat(chunks).toString('latin1').slice(0, 500);
      reject(new Error(`the server kept the connection open; so far it sent ${JSON.stringify(got)}`));
    }, PATIENCE_MS);
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', () => {}); // A reset after the answer is the server's good right.
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(Buffer.concat(chunks));
    });
  });
  return { socket, received };
}

export function parseAnswers(bytes: Buffer): RawAnswer[] {
  const answers: RawAnswer[] = [];
  let rest = bytes;
  while (rest.length > 0) {
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0)
      throw new Error(`not an HTTP answer: ${JSON.stringify(rest.toString('latin1').slice(0, 200))}`);
    const [statusLine = '', ...lines] = rest.subarray(0, end).toString('latin1').split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        line.slice(line.indexOf(':') + 1).trim(),
      ]),
    );
    const length = Number(headers['content-length'] ?? 0);
    const text = rest.subarray(end + 4, end + 4 + length).toString();
    answers.push({ status: Number(statusLine.split(' ')[1]), headers, text, body: parseJson(text) });
    rest = rest.subarray(end + 4 + length);
  }
  return answers;
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
