import { X509Certificate } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import { endOfTurn } from '../../lib/promises.ts';
import type { Get } from '../../webhooks/requests.ts';

/** A leaf, two that issued each other, and the root. */
const LONGEST_CHAIN = 4;
const ROOTS_A_TURN = 5;
const PEM = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;

/** A certificate that a root vouches for, as long as every one between them is valid. */
export interface TrustedCertificate {
  leaf: X509Certificate;
  from: number;
  until: number;
}

/** Throws what is wrong with a certificate, in a few words. */
export class Untrusted extends Error {
  override name = 'Untrusted';
}

/**
 * Follows a certificate to a root that Node trusts. Amazon serves the certificate alone, so that its issuer is asked for
 * at the address that it names, over plain HTTP as is usual: it counts because of its own signature.
 */
export async function trustedCertificate(
  text: string,
  { isNamed, get, roots = rootCertificates }: ChainParts,
): Promise<TrustedCertificate> {
  const [leaf, ...others] = (text.match(PEM) ?? []).map(parse);
  if (!leaf) throw new Untrusted('is not a certificate');
  if (leaf.ca) throw new Untrusted('is one of an authority');
  if (!isForSignatures(leaf)) throw new Untrusted('is not for signatures');
  if (!namesOf(leaf).some(isNamed)) throw new Untrusted('is for another name');
  const chain = [leaf];
  for (let last = leaf; chain.length < LONGEST_CHAIN; chain.push(last)) {
    const root = await rootOf(last, roots);
    if (root) return trusted(leaf, [...chain.slice(1), root]);
    last = others.find((one) => isIssuer(one, last)) ?? (await issuerOf(last, get));
  }
  throw new Untrusted('leads to no authority that is trusted');
}

interface ChainParts {
  isNamed: (name: string) => boolean;
  get: Get;
  roots?: readonly string[] | undefined;
}

/** In turns, because reading all of them takes 50 ms. */
async function rootOf(
  certificate: X509Certificate,
  roots: readonly string[],
): Promise<X509Certificate | undefined> {
  for (const [index, text] of roots.entries()) {
    if (index % ROOTS_A_TURN === ROOTS_A_TURN - 1) await endOfTurn();
    const root = parse(text);
    if (isIssuer(root, certificate)) return root;
  }
  return undefined;
}

/** `authorities`: from the one that issued it up to the root. */
function trusted(leaf: X509Certificate, authorities: readonly X509Certificate[]): TrustedCertificate {
  let between = 0;
  for (const authority of authorities) {
    if (between > authoritiesBelow(authority))
      throw new Untrusted('has more authorities above it than one of them allows');
    // One that renews its own key counts once.
    if (authority.subject !== authority.issuer) between += 1;
  }
  return { leaf, ...validity([leaf, ...authorities]) };
}

/** OpenSSL looks at the key usage of the one: whether it may sign certificates. */
function isIssuer(one: X509Certificate, of: X509Certificate): boolean {
  return one.ca && one.subject === of.issuer && of.checkIssued(one) && of.verify(one.publicKey);
}

async function issuerOf(certificate: X509Certificate, get: Get): Promise<X509Certificate> {
  const [, address = ''] = /^CA Issuers - URI:(http:\/\/\S+)$/m.exec(certificate.infoAccess ?? '') ?? [];
  if (!URL.canParse(address)) throw new Untrusted('leads to no authority that is trusted');
  const issuer = parse(await get(new URL(address)));
  if (!isIssuer(issuer, certificate)) throw new Untrusted('was not signed by whom it names');
  return issuer;
}

function validity(chain: readonly X509Certificate[]) {
  return {
    from: Math.max(...chain.map(({ validFrom }) => Date.parse(validFrom))),
    until: Math.min(...chain.map(({ validTo }) => Date.parse(validTo))),
  };
}

function namesOf({ subjectAltName = '' }: X509Certificate): string[] {
  return subjectAltName.split(', ').flatMap((name) => (name.startsWith('DNS:') ? name.slice(4) : []));
}

function parse(certificate: string | Buffer): X509Certificate {
  try {
    return new X509Certificate(certificate);
  } catch {
    throw new Untrusted('is not a certificate');
  }
}

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
