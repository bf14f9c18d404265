import { clientOf } from '../plugins/rate-limit.ts';

/** The /24 of an IPv4 address, the /64 of an IPv6 one: what one person can usually change at will. */
export function networkOf(request: Parameters<typeof clientOf>[0]): string {
  const client = clientOf(request);
  const [, prefix] = /^(\d{1,3}\.\d{1,3}\.\d{1,3})\.\d{1,3}$/.exec(client) ?? [];
  return prefix === undefined ? client : `${prefix}.0/24`;
}
