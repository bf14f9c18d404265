const SHAPE = /^postgres(?:ql)?:\/\/(?<user>[^@/?#]*@)?(?<hosts>[^/?#]*)(?<rest>.*)$/s;
/** Where libpq looks when no host is given. */
const SOCKET_DIRECTORY = '/var/run/postgresql';
/** libpq checks the certificate only for some of these. We check it for each, so that nobody can listen in. */
const CHECKED_MODES = ['allow', 'prefer', 'require', 'verify-ca', 'verify-full'];
const TLS_MODES = ['disable', 'no-verify', ...CHECKED_MODES];
const CONNECT_SECONDS = /^[1-9]\d{0,2}$/;
/** The first version of PostgreSQL's tools that knows the certificates of the system. */
const KNOWS_SYSTEM_CERTIFICATES = 16;

/** Says what is wrong with the URL of a database, in a sentence without its password, or returns undefined. */
export function postgresUrlProblem(url: string): string | undefined {
  const { hosts = '' } = SHAPE.exec(url)?.groups ?? {};
  const parameters = parametersOf(url);
  if (hosts.includes(',') || parameters.get('host')?.includes(','))
    return 'lists several hosts, of which Doorlist can use only one: name one host, or a proxy or DNS name that follows the primary';
  if (!SHAPE.test(url) || !URL.canParse(normalPostgresUrl(url)))
    return 'must be a URL that starts with postgres:// or postgresql://';
  const mode = parameters.get('sslmode');
  if (mode !== null && !TLS_MODES.includes(mode)) return `sslmode must be one of ${TLS_MODES.join(', ')}`;
  if (!CONNECT_SECONDS.test(parameters.get('connect_timeout') ?? '1'))
    return 'connect_timeout must be a number of seconds from 1 to 999';
  return undefined;
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
export function normalPostgresUrl(url: string): string {
  const { user, hosts, rest = '' } = SHAPE.exec(url)?.groups ?? {};
  const parameters = parametersOf(url);
  const mode = parameters.get('sslmode') ?? '';
  const isChecked = CHECKED_MODES.includes(mode) && !parameters.has('uselibpqcompat');
  const checked = isChecked ? url.replace(/(?<=[?&]sslmode=)[\w-]+/, 'verify-full') : url;
  if (!user || hosts !== '') return checked;
  const directory = parameters.get('host') ?? SOCKET_DIRECTORY;
  parameters.delete('host');
  const [path = ''] = rest.split('?');
  const more = parameters.size > 0 ? `?${parameters}` : '';
  return `postgres://${user}${encodeURIComponent(directory)}${path}${more}`;
}

/**
 * The same address for PostgreSQL's own tools, without the password, which every user of the machine could read in
 * the command line.
 */
export function toolAddress(
  url: string,
  { version, certificates }: { version: number; certificates: string | undefined },
): { url: string; password: string } {
  const address = new URL(url);
  const password = decodeURIComponent(address.password) || (address.searchParams.get('password') ?? '');
  address.password = '';
  const { searchParams } = address;
  searchParams.delete('password');
  const wantsTls = ['true', '1'].includes(searchParams.get('ssl') ?? '');
  const mode = searchParams.get('sslmode') ?? (wantsTls ? 'verify-full' : undefined);
  const isCompatible = searchParams.has('uselibpqcompat');
  for (const name of ['ssl', 'uselibpqcompat']) searchParams.delete(name);
  if (mode === undefined || mode === 'disable' || isCompatible) return { url: address.href, password };
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
  return { url: address.href, password };
}

function parametersOf(url: string): URLSearchParams {
  return new URLSearchParams(/\?(.*)$/s.exec(url)?.[1] ?? '');
}
