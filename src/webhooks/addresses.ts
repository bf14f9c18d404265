import ipaddr from 'ipaddr.js';

/** Answers to any virtual machine of Azure with the secrets of that machine, from a public address. */
const AZURE_WIRE_SERVER = '168.63.129.16';
/** What is routed on the Internet; ipaddr.js also calls unassigned space unicast. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** Whether an address is one that anybody on the Internet could reach. */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  if (address.range() !== 'unicast' || text === AZURE_WIRE_SERVER) return false;
  return address.kind() === 'ipv4' || (address as ipaddr.IPv6).match(GLOBAL_IPV6);
}

/** Hosts and networks that may be reached although they are private, and over plain http. */
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
