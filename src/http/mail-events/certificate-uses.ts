import type { X509Certificate } from 'node:crypto';

/** What follows `id-ce`, 2.5.29, in RFC 5280. */
const ID_CE = '551d';
const KEY_USAGE = `${ID_CE}0f`;
const BASIC_CONSTRAINTS = `${ID_CE}13`;
/** The first bit of a key usage, and the highest of its byte. */
const DIGITAL_SIGNATURE = 0x80;

/** Tags of DER. */
const INTEGER = 0x02;
const EXTENSIONS = 0xa3;

/** Whether its key may sign something other than certificates. Without a key usage, it may. */
export function isForSignatures(certificate: X509Certificate): boolean {
  const usage = extensionOf(certificate, KEY_USAGE);
  if (usage === undefined) return true;
  // The first byte says how many bits of the last one are unused.
  const [, firstBits = 0] = inside(usage)?.content ?? [];
  return (firstBits & DIGITAL_SIGNATURE) !== 0;
}

/** How many authorities may be between this one and a leaf. */
export function authoritiesBelow(authority: X509Certificate): number {
  const constraints = inside(extensionOf(authority, BASIC_CONSTRAINTS))?.content;
  const most = itemsOf(constraints).find(({ tag }) => tag === INTEGER);
  return most === undefined ? Number.POSITIVE_INFINITY : numberFrom(most.content);
}

/** Node tells neither of the two that are read here. */
function extensionOf({ raw }: X509Certificate, id: string): Buffer | undefined {
  const signed = inside(inside(raw)?.content)?.content;
  const extensions = itemsOf(signed).find(({ tag }) => tag === EXTENSIONS);
  for (const { content } of itemsOf(inside(extensions?.content)?.content)) {
    const parts = itemsOf(content);
    // Between the two is whether it is critical, unless it is not.
    if (parts[0]?.content.toString('hex') === id) return parts.at(-1)?.content;
  }
  return undefined;
}

interface Item {
  tag: number;
  content: Buffer;
}

function inside(der: Buffer | undefined): Item | undefined {
  return itemsOf(der)[0];
}

/** Ends at what is cut off: OpenSSL has read the whole before, but not what is within an extension. */
function itemsOf(der: Buffer = Buffer.alloc(0)): Item[] {
  const items: Item[] = [];
  for (let rest = der; rest.length >= 2; ) {
    const [tag = 0, short = 0] = rest;
    const lengthBytes = short < 0x80 ? 0 : short - 0x80;
    const start = 2 + lengthBytes;
    const end = start + (lengthBytes === 0 ? short : numberFrom(rest.subarray(2, start)));
    items.push({ tag, content: rest.subarray(start, end) });
    rest = rest.subarray(end);
  }
  return items;
}

function numberFrom(bytes: Uint8Array): number {
  return bytes.reduce((number, byte) => number * 256 + byte, 0);
}
