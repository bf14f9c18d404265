import type { FastifyReply, FastifyRequest } from 'fastify';

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

/** `__Host-` binds a cookie to this exact host, but browsers accept it only over HTTPS. */
export function cookiesFor(publicUrl: string): Cookies {
  const secure = publicUrl.startsWith('https:');
  const name = secure ? '__Host-doorlist' : 'doorlist';
  const set = (reply: FastifyReply, cookie: string, value: string, seconds: number, sameSite: string) =>
    reply.header(
      'set-cookie',
      `${cookie}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=${sameSite}${secure ? '; Secure' : ''}`,
    );
  return {
    read: ({ headers }) => {
      const cookies = parseCookies(headers.cookie);
      return {
        session: cookies.get(name),
        device: cookies.get(`${name}-device`),
        challenge: cookies.get(`${name}-passkey`),
      };
    },
    // Lax, so that links to the dashboard work when signed in. Cross-site writes are rejected anyway.
    setSession: (reply, secret, seconds) => set(reply, name, secret, seconds, 'Lax'),
    setDevice: (reply, device) => set(reply, `${name}-device`, device, DEVICE_SECONDS, 'Strict'),
    clearSession: (reply) => set(reply, name, '', 0, 'Lax'),
    setChallenge: (reply, kept, seconds) => set(reply, `${name}-passkey`, kept, seconds, 'Strict'),
    clearChallenge: (reply) => set(reply, `${name}-passkey`, '', 0, 'Strict'),
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
