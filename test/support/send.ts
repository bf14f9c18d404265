import { type Dispatcher, request } from 'undici';

/** What fetch adds. */
const USUAL_HEADERS = {
  accept: '*/*',
  'accept-language': '*',
  'sec-fetch-mode': 'cors',
  'user-agent': 'node',
};

interface Message {
  method: string;
  headers: Record<string, string>;
  body?: string | Uint8Array | undefined;
}

interface Received {
  status: number;
  headers: Headers;
  text: string;
}

/** Sends a request over a kept connection. `fetch` takes twice the processor time, for client and service together. */
export async function send(url: string, { method, headers, body }: Message): Promise<Received> {
  const {
    statusCode,
    headers: received,
    body: content,
  } = await request(url, {
    method: method as Dispatcher.HttpMethod,
    headers: { ...USUAL_HEADERS, ...lowerCased(headers) },
    ...(body === undefined ? {} : { body }),
  });
  const all = new Headers();
  for (const [name, values = []] of Object.entries(received))
    for (const value of [values].flat()) all.append(name, value);
  return { status: statusCode, headers: all, text: await content.text() };
}

function lowerCased(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
