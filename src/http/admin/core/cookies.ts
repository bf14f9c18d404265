import type { FastifyReply, FastifyRequest } from 'fastify';
import { basePathOf } from '../../../config/public-url.ts';

/**
 * The browser's cookies: the session, a mark that this browser has signed in before, and what it keeps while a
 * passkey is asked.
 */
export interface Cookies {
  read(request: FastifyRequest): {
    session: string | undefined;
    device: string | undefined;
    challenge: string | undefined;
  };
  setSession(reply: FastifyReply, secret: string, seconds: number): void;
  setDevice(reply: FastifyReply, device: string): void;
  clearSession(reply: FastifyReply): void;
  setChallenge(reply: FastifyReply, kept: string, seconds: number): void;
  clearChallenge(reply: FastifyReply): void;
}

const DEVICE_SECONDS = 365 * 86_400;
const VALUE = /^[A-Za-z0-9_.-]{1,200}$/;

interface Scope {
  /** The session's cookie. The others start with it. */
  name: string;
  /** The attributes that say where it is sent. */
  path: string;
  secure: string;
}

/**
 * `__Host-` binds a cookie to this exact host, but browsers accept it only over HTTPS and for all its paths.
 * A service that shares its host with others limits its cookies to its own path instead.
 */
function scopesOf(publicUrl: string) {
  const { protocol } = new URL(publicUrl);
  const path = basePathOf(publicUrl);
  const safe: Scope = {
    name: path === '' ? '__Host-doorlist' : '__Secure-doorlist',
    path: path === '' ? '/' : path,
    secure: '; Secure',
  };
  const plain: Scope = { ...safe, name: 'doorlist', secure: '' };
  return (request: FastifyRequest): Scope =>
    protocol === 'https:' || request.protocol === 'https' ? safe : plain;
}

export function cookiesFor(publicUrl: string): Cookies {
  const scopeOf = scopesOf(publicUrl);
  const set = (reply: FastifyReply, suffix: string, value: string, seconds: number, sameSite: string) => {
    const { name, path, secure } = scopeOf(reply.request);
    reply.header(
      'set-cookie',
      `${name}${suffix}=${value}; Path=${path}; Max-Age=${seconds}; HttpOnly; SameSite=${sameSite}${secure}`,
    );
  };
  return {
    read: (request) => {
      const { name } = scopeOf(request);
      const cookies = parseCookies(request.headers.cookie);
      return {
        session: cookies.get(name),
        device: cookies.get(`${name}-device`),
        challenge: cookies.get(`${name}-passkey`),
      };
    },
    // Lax, so that links to the dashboard work when signed in. Cross-site writes are rejected anyway.
    setSession: (reply, secret, seconds) => set(reply, '', secret, seconds, 'Lax'),
    setDevice: (reply, device) => set(reply, '-device', device, DEVICE_SECONDS, 'Strict'),
    clearSession: (reply) => set(reply, '', '', 0, 'Lax'),
    setChallenge: (reply, kept, seconds) => set(reply, '-passkey', kept, seconds, 'Strict'),
    clearChallenge: (reply) => set(reply, '-passkey', '', 0, 'Strict'),
  };
}

/** A duplicate name is ignored, because only one of the two can be ours. */
function parseCookies(header = ''): Map<string, string> {
  const cookies = new Map<string, string>();
  const twice = new Set<string>();
  for (const pair of header.split(';')) {
    const at = pair.indexOf('=');
    const name = pair.slice(0, at).trim();
    const value = pair.slice(at + 1).trim();
    if (cookies.has(name)) twice.add(name);
    if (at > 0 && VALUE.test(value)) cookies.set(name, value);
  }
  for (const name of twice) cookies.delete(name);
  return cookies;
}
