import pg from 'pg';
import { systemErrorWords } from '../../lib/files.ts';
import { serverUrls } from './url.ts';

const OLDEST_VERSION = 15;

/** Thrown at startup, with a message for the operator. */
export class PostgresTooOld extends Error {
  override name = 'PostgresTooOld';
}

/** Of several servers, none accepts writes. */
export class NoPrimary extends Error {
  override name = 'NoPrimary';
}

/** Where to listen for notifications, which a pooler does not pass on. */
export class BehindPooler extends Error {
  override name = 'BehindPooler';

  constructor() {
    super(
      'DATABASE_URL leads to a pooler, which passes no notifications on. Point it at the PostgreSQL server itself.',
    );
  }
}

/** `versionNumber` is the server's `server_version_num`: 150004 for 15.4. */
export function refuseOldServer(versionNumber: number, url: string): void {
  const major = Math.floor(versionNumber / 10_000);
  if (major >= OLDEST_VERSION) return;
  throw new PostgresTooOld(
    `${placeOf(url).server} is version ${major}. Doorlist needs PostgreSQL ${OLDEST_VERSION} or newer: upgrade the server, or point DATABASE_URL at a newer one.`,
  );
}

/**
 * Describes what is wrong with the database at `url`: which server, what it reported, and what to do. Returns
 * undefined if the operator cannot do anything about the error.
 */
export function explainPostgres(error: unknown, url: string): string | undefined {
  const root = rootOf(error);
  const place = placeOf(url);
  if (root instanceof PostgresTooOld || root instanceof NoPrimary || root instanceof BehindPooler)
    return root.message;
  if (root instanceof pg.DatabaseError) return BY_STATE[root.code ?? '']?.(place, root.message);
  const { code, syscall, path: file } = (root ?? {}) as NodeJS.ErrnoException;
  if (code === undefined) return withoutCode(root, place);
  if (syscall === 'open' && file !== undefined) return unreadable(url, file, code);
  if (CERTIFICATE_CODES.test(code)) return untrusted(place, code);
  return BY_ERRNO[code]?.(place, code) ?? `Cannot reach ${place.server}: ${systemErrorWords(code)}.`;
}

interface ServerAddress {
  /** `PostgreSQL at db.example.com:5432` */
  server: string;
  /** The file of the authority, if the URL names one. */
  authority: string | null;
  host: string;
  database: string;
  user: string;
  hasPassword: boolean;
}

function passwordMissing(server: string, user: string): string {
  return `${server} asks for the password of user "${user}", and DATABASE_URL has none. Add it after the user name: ${user}:PASSWORD@.`;
}

type Sentence = (place: ServerAddress, answer: string) => string;

const BY_STATE: Record<string, Sentence> = {
  '28P01': ({ server, user, hasPassword }) =>
    !hasPassword
      ? passwordMissing(server, user)
      : `${server} rejected the password for user "${user}". Check the user name and password in DATABASE_URL.`,
  '28000': ({ server, user }, answer) =>
    `${server} does not let user "${user}" in (${answer}). Check DATABASE_URL and the server's pg_hba.conf.`,
  '3D000': ({ server, database }) =>
    `${server} has no database "${database}". Create it (createdb ${database}), or correct the name in DATABASE_URL.`,
  '42501': ({ server, user, database }, answer) =>
    `${server} denied user "${user}" access (${answer}). ${grantFor(answer, user, database)}`,
  '53300': ({ server }, answer) =>
    `${server} has no connections left (${answer}). Raise its limit, or lower DOORLIST_DATABASE_POOL.`,
  '53100': ({ server }) => `${server} has run out of disk space. Free some, then try again.`,
  '57P03': ({ server }) => `${server} is starting up and does not accept connections yet.`,
  '57P01': ({ server }) => `${server} is shutting down.`,
  '57P02': ({ server }) => `${server} is restarting after a crash.`,
  '57014': ({ server }) => `${server} canceled a statement that took too long.`,
  '25006': ({ server }) =>
    `${server} is read-only. If it is a standby, point DATABASE_URL at the primary server; otherwise turn default_transaction_read_only off.`,
};

/** What to grant. The server answers in the language of its messages, so the last advice is for all others. */
function grantFor(answer: string, user: string, database: string): string {
  if (/must be owner/.test(answer))
    return 'Run `migrate` as the owner of the tables, or make this user their owner.';
  if (/for (table|sequence)/.test(answer))
    return 'Grant it select, insert, update and delete on all tables of Doorlist.';
  return `Make "${user}" the owner of database "${database}", or grant it CREATE on the schema. If the tables belong to another user, run \`migrate\` as that one.`;
}

const BY_ERRNO: Record<string, Sentence> = {
  ECONNREFUSED: ({ server }) =>
    `Cannot reach ${server}: the connection was refused. Check that the server is running, and the host and port in DATABASE_URL.`,
  ENOTFOUND: ({ host }) => `The PostgreSQL host ${host} is unknown. Check the host name in DATABASE_URL.`,
  EAI_AGAIN: ({ host }) =>
    `The name of the PostgreSQL host ${host} could not be resolved just now. Check DNS and the host name in DATABASE_URL.`,
  ETIMEDOUT: ({ server }) =>
    `Cannot reach ${server}: it did not answer. Check the host and port in DATABASE_URL, and firewalls on the way.`,
  ECONNRESET: ({ server }) => `${server} closed the connection. See its log for the reason.`,
  ENOENT: ({ host }) =>
    `There is no PostgreSQL socket in ${host}. Check that the server is running, and the host in DATABASE_URL.`,
};

const CERTIFICATE_CODES = /CERT|UNABLE_TO_|SELF_SIGNED|HOSTNAME_MISMATCH/;

function untrusted({ server, host, authority }: ServerAddress, code: string): string {
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `The TLS certificate of ${server} is for another name than ${host}. Use the name in the certificate in DATABASE_URL.`;
  if (code === 'CERT_HAS_EXPIRED') return `The TLS certificate of ${server} has expired. Renew it.`;
  if (authority !== null)
    return `The TLS certificate of ${server} was not issued by the authority in ${authority} (${code}). Name the right file as sslrootcert in DATABASE_URL.`;
  return `The TLS certificate of ${server} is not trusted (${code}). Add sslrootcert=/path/to/ca.pem to DATABASE_URL, or set NODE_EXTRA_CA_CERTS to that file.`;
}

/** A certificate or key that the URL names. */
function unreadable(url: string, file: string, code: string): string {
  const { searchParams } = new URL(serverUrls(url)[0] ?? url);
  const [parameter = 'a file'] = [...searchParams].find(([, value]) => value === file) ?? [];
  return `DATABASE_URL names ${file} as ${parameter}, which cannot be read: ${systemErrorWords(code)}.`;
}

/** The driver finds out about a missing password in the middle of signing in. */
const NO_PASSWORD = /client password must be a (non-empty )?string/;

const NO_TLS = /does not support SSL/;

/** Whether the server asked for a password and there is none. */
function isPasswordMissing(error: unknown): boolean {
  return NO_PASSWORD.test((rootOf(error) as Error | undefined)?.message ?? '');
}

function isWithoutTls(error: unknown): boolean {
  return NO_TLS.test((rootOf(error) as Error | undefined)?.message ?? '');
}

/** Errors of the client library that have no code, and that waiting does not change. */
export function isMisconfigured(error: unknown): boolean {
  return isPasswordMissing(error) || isWithoutTls(error);
}

/** The client library's timeouts, closed connections and missing TLS support have no error code. */
function withoutCode(root: unknown, { server, user }: ServerAddress): string | undefined {
  if (isPasswordMissing(root)) return passwordMissing(server, user);
  if (isWithoutTls(root))
    return `${server} does not support TLS. Turn it on there, or set sslmode=disable in DATABASE_URL if the network is private.`;
  return root instanceof Error ? `${server} did not answer as expected: ${root.message}.` : undefined;
}

/** Unwraps the original error of the server or the system. */
function rootOf(error: unknown): unknown {
  let root = error;
  while (root instanceof Error && root.cause instanceof Error) root = root.cause;
  return root;
}

function placeOf(url: string): ServerAddress {
  const servers = serverUrls(url).map((each) => new URL(each));
  const [parsed] = servers as [URL];
  const user = decodeURIComponent(parsed.username) || parsed.searchParams.get('user') || '';
  const server = `PostgreSQL at ${servers.map(placeIn).join(' or ')}`;
  const host = servers.map(hostIn).join(' or ');
  const hasPassword =
    parsed.password !== '' || parsed.searchParams.has('password') || !!process.env.PGPASSWORD;
  const authority = parsed.searchParams.get('sslrootcert');
  const database = decodeURIComponent(parsed.pathname.slice(1)) || user;
  return { server, authority, host, database, user, hasPassword };
}

function hostIn({ searchParams, hostname }: URL): string {
  return searchParams.get('host') ?? (decodeURIComponent(hostname) || 'localhost');
}

/** `db.example.com:5432`, or the directory of a socket. */
export function placeIn(url: URL): string {
  const host = hostIn(url);
  return host.startsWith('/') ? host : `${host}:${url.searchParams.get('port') ?? (url.port || '5432')}`;
}
