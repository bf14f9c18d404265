import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { buildConnector } from 'undici';
import { type AllowList, isPublicAddress } from '../lib/addresses.ts';

/** A destination that webhooks must not be sent to. */
export class RefusedTarget extends Error {
  override name = 'RefusedTarget';
}

/** One for the whole process, which has few threads for it. */
const resolveByDns = fairLookups(async (hostname) =>
  (await lookup(hostname, { all: true, verbatim: true })).map(({ address }) => address),
);

/** Less than an attempt's deadline, so that a second address can be tried. */
const CONNECT_TIMEOUT_MS = 5_000;

export interface Guard {
  /** Checks what the URL alone shows. Throws `RefusedTarget`. */
  checkUrl(text: string): URL;
  /** For when a proxy resolves the name: plain HTTP requires that the name itself is allowed. */
  checkProxied(text: string): URL;
  /**
   * Also checks what the name resolves to right now. A name that does not resolve yet passes. Returns the URL that is
   * called.
   */
  checkTarget(text: string): Promise<string>;
  /** Opens undici's connections, to checked addresses only. */
  connect: buildConnector.connector;
}

interface GuardOptions {
  resolve?: Resolve;
  tls?: { ca?: string };
  /** Plain HTTP may reach any public address, for answers that carry a signature of their own. */
  plain?: boolean;
}

export function createGuard(allow: AllowList, options: GuardOptions = {}): Guard {
  const { resolve = resolveByDns, tls = {}, plain = false } = options;

  const checkAddress = (protocol: string, host: string, address: string) => {
    if (allow.allowsName(host) || allow.allowsAddress(address)) return;
    if (protocol !== 'https:' && !plain) throw new RefusedTarget('must start with https://');
    if (!isPublicAddress(address))
      throw new RefusedTarget('leads to an address that is not on the public Internet');
  };
  /** All or nothing: one bad address among good ones is how a DNS name is used for an attack. */
  const addressesOf = async (protocol: string, host: string): Promise<string[]> => {
    const addresses = isIP(host) ? [host] : await resolve(host);
    if (addresses.length === 0) throw new RefusedTarget('does not resolve to any address');
    for (const address of addresses) checkAddress(protocol, host, address);
    return addresses;
  };
  const checkUrl = (text: string): URL => {
    const url = parseHttpUrl(text);
    const host = hostOf(url);
    // Not every resolver handles these names, and some query the network for them.
    if (/(^|\.)localhost\.?$/i.test(host)) checkAddress(url.protocol, host, '127.0.0.1');
    if (isIP(host)) checkAddress(url.protocol, host, host);
    return url;
  };
  const requireHttps = (url: URL) => {
    const host = hostOf(url);
    if (url.protocol !== 'https:' && !allow.allowsName(host) && !allow.allowsAddress(host))
      throw new RefusedTarget('must start with https://');
  };

  return {
    checkUrl,
    checkProxied: (text) => {
      const url = checkUrl(text);
      requireHttps(url);
      return url;
    },
    checkTarget: async (text) => {
      const url = checkUrl(text);
      await addressesOf(url.protocol, hostOf(url)).catch((error: Error) => {
        if (error instanceof RefusedTarget) throw error;
        requireHttps(url); // The name does not resolve yet.
      });
      return url.href === `${text}/` ? text : url.href;
    },
    connect: connectTo(addressesOf, tls),
  };
}

/** Connects to the addresses that were just checked, one after the other until one answers. */
function connectTo(
  addressesOf: (protocol: string, host: string) => Promise<string[]>,
  tls: { ca?: string },
): buildConnector.connector {
  const loadConnector = async () => {
    const { buildConnector } = await import('undici');
    return buildConnector({ ...tls, allowH2: false, timeout: CONNECT_TIMEOUT_MS });
  };
  let connector: Promise<buildConnector.connector> | undefined;
  return (options, callback) => {
    const servername = options.servername || (isIP(options.hostname) ? '' : options.hostname);
    const tryNext = (open: buildConnector.connector, [address, ...others]: string[]) => {
      const to = { ...options, hostname: address as string };
      // Plain HTTP connects to the address itself. For TLS, the certificate must match the name.
      delete to.servername;
      if (options.protocol === 'https:' && servername) to.servername = servername;
      open(to, (...[error, socket]) => {
        if (error && others.length > 0) tryNext(open, others);
        else if (error) callback(error, null);
        else callback(null, socket);
      });
    };
    connector ??= loadConnector();
    Promise.all([connector, addressesOf(options.protocol, hostOf(options))]).then(
      ([open, addresses]) => tryNext(open, addresses),
      (error: Error) => callback(error, null),
    );
  };
}

function parseHttpUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url && /^\s*https?:\/\//i.test(text)) throw new RefusedTarget('has an invalid host or port');
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw new RefusedTarget('must be a URL that starts with https://');
  if (url.username !== '' || url.password !== '')
    throw new RefusedTarget('must not hold a name or a password: use a header');
  return url;
}

/** Without the brackets of an IPv6 address. */
function hostOf({ hostname }: { hostname: string }): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/** Returns every address of a name. */
export type Resolve = (hostname: string) => Promise<string[]>;

const FAILING_AT_ONCE = 2;
const MOST_REMEMBERED = 10_000;

/**
 * A lookup occupies one of few threads until the DNS gives up, and connections to the database and the mail
 * server wait for the same threads. So each name is looked up once at a time, and of names that did not resolve
 * last time, only a few are.
 */
export function fairLookups(resolve: Resolve): Resolve {
  const running = new Map<string, Promise<string[]>>();
  const failing = new Set<string>();
  const waiting: (() => void)[] = [];
  let failingNow = 0;

  const lookUp = async (hostname: string) => {
    try {
      const addresses = await resolve(hostname);
      failing.delete(hostname);
      return addresses;
    } catch (error) {
      if (failing.size >= MOST_REMEMBERED) failing.clear();
      failing.add(hostname);
      throw error;
    }
  };
  const lookUpInTurn = async (hostname: string) => {
    if (failingNow < FAILING_AT_ONCE) failingNow += 1;
    else await new Promise<void>((begin) => waiting.push(begin));
    try {
      return await lookUp(hostname);
    } finally {
      const next = waiting.shift();
      if (next) next();
      else failingNow -= 1;
    }
  };
  return (hostname) => {
    const known = running.get(hostname);
    if (known) return known;
    const lookup = failing.has(hostname) ? lookUpInTurn(hostname) : lookUp(hostname);
    const shared = lookup.finally(() => running.delete(hostname));
    running.set(hostname, shared);
    return shared;
  };
}
