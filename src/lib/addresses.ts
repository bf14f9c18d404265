import ipaddr from 'ipaddr.js';

/** A public address that gives any Azure virtual machine access to that machine's secrets. */
const AZURE_WIRE_SERVER = '168.63.129.16';
/** Routed on the Internet. ipaddr.js also classifies unassigned space as unicast. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** Whether an address is reachable by anyone on the Internet. */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  if (address.range() !== 'unicast' || text === AZURE_WIRE_SERVER) return false;
  return address.kind() === 'ipv4' || (address as ipaddr.IPv6).match(GLOBAL_IPV6);
}

/** Private hosts and networks that may be reached anyway, also over plain HTTP. */
export interface AllowList {
  allowsName(hostname: string): boolean;
  allowsAddress(address: string): boolean;
}

/** Returns what is wrong with an entry, or undefined. */
export function checkAllowed(entry: string): string | undefined {
  if (entry.includes('/'))
    return ipaddr.isValidCIDR(entry) ? undefined : `${entry} is not a network such as 10.0.0.0/8`;
  if (ipaddr.isValid(entry) || /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/i.test(entry)) return undefined;
  return `${entry} is not a host or a network`;
}

export function allowList(entries: readonly string[]): AllowList {
  const networks = entries.filter((entry) => entry.includes('/')).map((entry) => ipaddr.parseCIDR(entry));
  const hosts = new Set(entries.filter((entry) => !entry.includes('/')).map((entry) => canonical(entry)));
  return {
    allowsName: (hostname) => hosts.has(canonical(hostname)),
    allowsAddress: (text) => {
      if (!ipaddr.isValid(text)) return false;
      if (hosts.has(canonical(text))) return true;
      const address = ipaddr.parse(text);
      return networks.some((network) => network[0].kind() === address.kind() && address.match(network));
    },
  };
}

function canonical(host: string): string {
  return ipaddr.isValid(host)
    ? ipaddr.parse(host).toNormalizedString()
    : host.toLowerCase().replace(/\.$/, '');
}
