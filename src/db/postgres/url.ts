const SHAPE = /^postgres(?:ql)?:\/\/(?<user>[^@/?#]*@)?(?<hosts>[^/?#]*)(?<rest>.*)$/s;
/** Where libpq looks when no host is given. */
const SOCKET_DIRECTORY = '/var/run/postgresql';
/** libpq checks the certificate only for some of these. We check it for each, so that nobody can listen in. */
const CHECKED_MODES = ['allow', 'prefer', 'require', 'verify-ca', 'verify-full'];
const TLS_MODES = ['disable', 'no-verify', ...CHECKED_MODES];
const CONNECT_SECONDS = /^[1-9]\d{0,2}$/;
/** Those of libpq that say how to connect. Its tools refuse a URL with any other. */
const TOOL_PARAMETERS = new Set([
  ...['host', 'hostaddr', 'port', 'dbname', 'user', 'passfile', 'require_auth', 'channel_binding'],
  ...['connect_timeout', 'client_encoding', 'options', 'target_session_attrs', 'load_balance_hosts'],
  ...['keepalives', 'keepalives_idle', 'keepalives_interval', 'keepalives_count', 'tcp_user_timeout'],
  ...['sslmode', 'sslnegotiation', 'sslcert', 'sslkey', 'sslpassword', 'sslcertmode', 'sslrootcert'],
  ...['sslcrl', 'sslcrldir', 'sslsni', 'ssl_min_protocol_version', 'ssl_max_protocol_version'],
  ...['requirepeer', 'gssencmode', 'gsslib', 'gssdelegation', 'krbsrvname', 'service', 'servicefile'],
]);
/** What libpq calls a server that we can use. With several hosts, we look for one that accepts writes in any case. */
const WRITABLE_SESSIONS = ['any', 'read-write', 'primary'];
const HOST_AND_PORT = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/;
const ANOTHER_START = 'must be a URL that starts with postgres:// or postgresql://';
const NOT_ENCODED =
  'has special characters in its user name or password that must be percent-encoded, such as %23 for #, %2F for /, %3F for ?, %40 for @ and %25 for %';
const MALFORMED = 'is not a valid URL: check its host and port, and put an IPv6 address into brackets';
/** The first version of PostgreSQL's tools that knows the certificates of the system. */
const KNOWS_SYSTEM_CERTIFICATES = 16;

/** Says what is wrong with the URL of a database, in a sentence without its password, or returns undefined. */
export function postgresUrlProblem(url: string): string | undefined {
  const parameters = parametersOf(url);
  if (!SHAPE.test(url)) return ANOTHER_START;
  if (isNotEncoded(url)) return NOT_ENCODED;
  const problem = hostsProblem(url);
  if (problem !== undefined) return problem;
  if (!serverUrls(normalPostgresUrl(url)).every((each) => URL.canParse(each))) return MALFORMED;
  const mode = parameters.get('sslmode');
  if (mode !== null && !TLS_MODES.includes(mode)) return `sslmode must be one of ${TLS_MODES.join(', ')}`;
  if (!CONNECT_SECONDS.test(parameters.get('connect_timeout') ?? '1'))
    return 'connect_timeout must be a number of seconds from 1 to 999';
  if (!WRITABLE_SESSIONS.includes(parameters.get('target_session_attrs') ?? 'any'))
    return 'target_session_attrs must be read-write or primary, because Doorlist writes to the database';
  return undefined;
}

/**
 * Such a password ends too early. What is left of it looks like a port, or the `@` behind it like a part of the path.
 */
function isNotEncoded(url: string): boolean {
  const { user, hosts = '', rest = '' } = SHAPE.exec(url)?.groups ?? {};
  const [path = ''] = rest.split('?');
  if (url.includes('#') || !isDecodable(`${user ?? ''}${hosts}`)) return true;
  if (user !== undefined || !rest.includes('@')) return false;
  return path.includes('@') || placesOf(url).some(({ port }) => !isPort(port || '5432'));
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function hostsProblem(url: string): string | undefined {
  const places = placesOf(url);
  const ports = parametersOf(url).get('port')?.split(',') ?? [];
  if (ports.length > 1 && ports.length !== places.length)
    return `port has ${ports.length} ports for ${places.length} host${places.length === 1 ? '' : 's'}: give one for all, or one for each`;
  if (places.length > 1 && places.some(({ host }) => host === ''))
    return 'names no host before or after a comma';
  const wrong = places.find(({ host, port }) => host !== '' && !isPort(port || '5432'));
  return wrong && `the port of ${decodeURIComponent(wrong.host)} must be a number from 1 to 65535`;
}

function isPort(text: string): boolean {
  return /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535;
}

interface Place {
  /** As in a URL. */
  readonly host: string;
  readonly port: string | undefined;
}

/** The parameters `host` and `port` come before what is in the place of the host, as in libpq. */
function placesOf(url: string): Place[] {
  const { hosts = '' } = SHAPE.exec(url)?.groups ?? {};
  const parameters = parametersOf(url);
  const ports = parameters.get('port')?.split(',');
  const named = parameters.get('host')?.split(',').map(hostInUrl) ?? [];
  const places =
    named.length > 0
      ? named.map((host) => ({ host, port: undefined }))
      : hosts.split(',').map((place) => {
          const [, host = '', port] = HOST_AND_PORT.exec(place) ?? [];
          return { host, port };
        });
  if (!ports) return places;
  return places.map(({ host }, index) => ({ host, port: ports.length === 1 ? ports[0] : ports[index] }));
}

function hostInUrl(host: string): string {
  if (host.startsWith('/')) return encodeURIComponent(host);
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}

/** A URL for each server that a normal URL lists, in their order. */
export function serverUrls(url: string): string[] {
  const { user = '', hosts = '', rest = '' } = SHAPE.exec(url)?.groups ?? {};
  if (!hosts.includes(',')) return [url];
  return hosts.split(',').map((host) => `postgres://${user}${host}${rest}`);
}

/** How long to try to connect, if the URL says so as libpq would understand it. */
export function connectTimeout(url: string): { connectMs?: number } {
  const seconds = parametersOf(url).get('connect_timeout');
  return seconds === null ? {} : { connectMs: Number(seconds) * 1_000 };
}

/**
 * libpq allows a user without a host, which means a socket; URLs elsewhere do not. The directory of a socket can also
 * stand in the place of the host, which everybody understands.
 */
export function normalPostgresUrl(given: string): string {
  const url = withoutApplicationName(given);
  const { user, hosts, rest = '' } = SHAPE.exec(url)?.groups ?? {};
  const parameters = parametersOf(url);
  const mode = parameters.get('sslmode') ?? '';
  const isChecked = CHECKED_MODES.includes(mode) && !parameters.has('uselibpqcompat');
  const checked = isChecked ? url.replace(/(?<=[?&]sslmode=)[\w-]+/, 'verify-full') : url;
  const places = placesOf(url);
  if (places.length > 1) return listed(checked, places);
  if (!user || hosts !== '') return checked;
  const directory = parameters.get('host') ?? SOCKET_DIRECTORY;
  parameters.delete('host');
  const [path = ''] = rest.split('?');
  const more = parameters.size > 0 ? `?${parameters}` : '';
  return `postgres://${user}${encodeURIComponent(directory)}${path}${more}`;
}

/** The driver would prefer a name in the URL to ours, by which servers that use the database are found. */
function withoutApplicationName(url: string): string {
  return url.replace(/([?&])application_name=[^&]*&?/g, '$1').replace(/[?&]$/, '');
}

/** With all hosts in their usual place. */
function listed(url: string, places: readonly Place[]): string {
  const { user = '', rest = '' } = SHAPE.exec(url)?.groups ?? {};
  const hosts = places.map(({ host, port }) => (port ? `${host}:${port}` : host)).join(',');
  const parameters = parametersOf(url);
  for (const name of ['host', 'port']) parameters.delete(name);
  const [path = ''] = rest.split('?');
  return `postgres://${user}${hosts}${path}${parameters.size > 0 ? `?${parameters}` : ''}`;
}

/**
 * The same address for PostgreSQL's own tools, without the password, which every user of the machine could read in
 * the command line.
 */
export function toolAddress(
  url: string,
  { version, certificates }: { version: number; certificates: string | undefined },
): { url: string; password: string } {
  const { hosts = '' } = SHAPE.exec(url)?.groups ?? {};
  const [first = url, ...others] = serverUrls(url);
  const address = new URL(first);
  const password = decodeURIComponent(address.password) || (address.searchParams.get('password') ?? '');
  address.password = '';
  const { searchParams } = address;
  const wantsTls = ['true', '1'].includes(searchParams.get('ssl') ?? '');
  const mode = searchParams.get('sslmode') ?? (wantsTls ? 'verify-full' : undefined);
  const isCompatible = searchParams.has('uselibpqcompat');
  for (const name of [...searchParams.keys()]) if (!TOOL_PARAMETERS.has(name)) searchParams.delete(name);
  if (others.length > 0) searchParams.set('target_session_attrs', 'read-write');
  const whole = () => {
    address.search = String(searchParams).replaceAll('+', '%20'); // A plus sign is not a space to libpq.
    return { url: others.length > 0 ? withHosts(address.href, hosts) : address.href, password };
  };
  if (mode === undefined || mode === 'disable' || isCompatible) return whole();
  if (mode === 'no-verify') {
    searchParams.set('sslmode', 'require');
    searchParams.delete('sslrootcert');
  } else {
    const known = searchParams.get('sslrootcert') ?? certificates;
    const system = version >= KNOWS_SYSTEM_CERTIFICATES ? 'system' : undefined;
    const authorities = known ?? system;
    searchParams.set('sslmode', authorities === undefined ? 'require' : 'verify-full');
    if (authorities !== undefined) searchParams.set('sslrootcert', authorities);
  }
  return whole();
}

function withHosts(url: string, hosts: string): string {
  const { user = '', rest = '' } = SHAPE.exec(url)?.groups ?? {};
  return `postgres://${user}${hosts}${rest}`;
}

function parametersOf(url: string): URLSearchParams {
  return new URLSearchParams(/\?(.*)$/s.exec(url)?.[1] ?? '');
}
