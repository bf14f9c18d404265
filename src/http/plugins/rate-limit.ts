import { isIPv6 } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Counts } from '../../lib/counts.ts';
import { DoorlistError } from '../../lib/errors.ts';
import type { Meter } from '../../lib/telemetry.ts';
import type { Clock } from '../../lib/time.ts';

const WINDOW_MS = 60_000;

export interface RateLimiter {
  /** Counts one request, or more for a large one. Throws `rate_limited` above the limit. */
  take(client: string, reply?: FastifyReply, cost?: number): void;
}

/** A limit per minute and client, counted in this process. 0 turns it off. */
export function rateLimiter(
  name: string,
  limit: number,
  { clock, meter, counts }: { clock: Clock; meter: Meter; counts: Counts },
): RateLimiter {
  const windows = counts.tally('limits', name);
  const policy = `"${name}";q=${limit};w=${WINDOW_MS / 1000}`;

  return {
    take: (client, reply, cost = 1) => {
      if (limit === 0) return;
      const at = clock();
      const { used, endsAt } = windows.change(client, (window) => {
        if (window.at <= at) Object.assign(window, { count: 0, at: at + WINDOW_MS });
        window.count += Math.min(cost, limit); // A fresh window always allows one request, whatever it costs.
        return { used: window.count, endsAt: window.at };
      });
      const seconds = Math.max(1, Math.ceil((endsAt - at) / 1000));
      reply?.header('ratelimit-policy', policy);
      reply?.header('ratelimit', `"${name}";r=${Math.max(0, limit - used)};t=${seconds}`);
      if (used > limit) {
        meter.rateLimited(name);
        throw new DoorlistError('rate_limited', `more than ${limit} requests per minute: slow down`, seconds);
      }
    },
  };
}

/** What is kept of each client. */
const CLIENT_CHARACTERS_MAX = 64;
/** Those whose connection has ended by now have no address. */
const GONE = 'gone';

/** An IPv6 user has a whole /64, so each network counts as one client. */
export function clientOf(request: Pick<FastifyRequest, 'ip'>): string {
  const ip = (request.ip as string | undefined) ?? GONE;
  if (!isIPv6(ip)) return ip.slice(0, CLIENT_CHARACTERS_MAX);
  if (ip.startsWith('::ffff:') && ip.includes('.')) return ip.slice(7);
  const [head = '', tail = ''] = ip.split('%', 1)[0]?.split('::') ?? [];
  const left = head === '' ? [] : head.split(':');
  const right = tail === '' ? [] : tail.split(':');
  const zeros = ip.includes('::') ? 8 - left.length - right.length : 0;
  const groups = [...left, ...Array<string>(Math.max(0, zeros)).fill('0'), ...right];
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}
