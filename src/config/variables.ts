import { isIP } from 'node:net';
import { normalPostgresUrl, postgresUrlProblem, serverUrls } from '../db/postgres/url.ts';
import { checkAllowed } from '../lib/addresses.ts';
import { dkimKeyProblem, isDomain, isSelector } from '../lib/dkim-key.ts';
import { bounceAddressProblem, isAsciiAddress } from '../lib/email.ts';
import { MasterKeyProblem, masterKeyFromText } from '../vault/master-key.ts';
import { checkPublicUrl } from './public-url.ts';
import { duration, listOf, pairsOf, secret, text, type Variable, whole } from './variable.ts';

// Long because it is the one list of variables: each with its check, its default and the sentence in the README.

export const REQUEST_LINES = ['problems', 'all', 'none'] as const;
export type RequestLines = (typeof REQUEST_LINES)[number];

export const ROLES = ['all', 'api', 'worker'] as const;
export type Role = (typeof ROLES)[number];

const MOST_WORKERS = 16;
export const WORKERS_RULE = `must be a whole number from 1 to ${MOST_WORKERS}, or auto`;

/** undefined if it is neither a number that is allowed nor `auto`. */
export function parseWorkers(text: string): number | 'auto' | undefined {
  if (text === 'auto') return text;
  const count = Number(text);
  return /^[0-9]{1,2}$/.test(text) && count >= 1 && count <= MOST_WORKERS ? count : undefined;
}

/** Read by `bin/node`, before there is a configuration. */
export const NODE_VARIABLE = {
  name: 'DOORLIST_NODE',
  about: 'Path of the Node to run instead of the pinned one. Not read from `.env`.',
  shownDefault: 'the pinned Node, or your own',
};

/** Read by `build/start.js`, as early. */
export const SOURCES_VARIABLE = {
  name: 'DOORLIST_SOURCES',
  about:
    'With any value, a checkout runs its sources instead of the program that it builds from them. Not read from `.env`.',
  shownDefault: 'unset',
};

function checkMasterKey(value: string): string | undefined {
  try {
    masterKeyFromText(value, '');
  } catch (error) {
    if (error instanceof MasterKeyProblem) return error.message.replace(/^: /, '');
    throw error;
  }
}

function checkUrl(...protocols: string[]) {
  return (value: string) => {
    const protocol = URL.canParse(value) ? new URL(value).protocol : '';
    return protocols.includes(protocol)
      ? undefined
      : `must be a URL that starts with ${protocols.map((each) => `${each}//`).join(' or ')}`;
  };
}

function checkHost(value: string): string | undefined {
  return new URL(value).hostname === '' ? 'must have a host' : undefined;
}

/** An address or a name. Whether it is one of this machine shows when it is used. */
function checkListenHost(value: string): string | undefined {
  return isIP(value) > 0 || /^[\w.-]+$/.test(value)
    ? undefined
    : 'must be an IP address or host name of this machine, without a port or brackets, such as 127.0.0.1, 0.0.0.0 or ::1';
}

function isAddressOrCidr(text: string): boolean {
  const [address = '', bits = '1', ...rest] = text.split('/');
  const mostBits = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0;
  return rest.length === 0 && /^[1-9][0-9]{0,2}$/.test(bits) && Number(bits) <= mostBits;
}

function checkPairs(value: string): string | undefined {
  const complaint = 'must be name=value, separated by commas, with values that are URL-encoded';
  if (listOf(value).some((item) => !/^[^=\s]+\s*=/.test(item))) return complaint;
  try {
    pairsOf(value);
    return undefined;
  } catch {
    return complaint;
  }
}

const SAMPLERS = ['always_on', 'always_off', 'traceidratio'].flatMap((name) => [name, `parentbased_${name}`]);
const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'];

export const VARIABLES = {
  port: whole('PORT', 0, 65_535, 3000, 'Port to listen on. 0 picks a free port.'),
  host: text(
    'HOST',
    '127.0.0.1',
    '127.0.0.1',
    'Address to listen on. Use `0.0.0.0` for all interfaces.',
    checkListenHost,
  ),
  role: text(
    'DOORLIST_ROLE',
    'all',
    'all',
    'What this instance does, if `--role` is not given: `api`, `worker` or `all`. Only `all` with SQLite.',
    (value) => (ROLES.includes(value as Role) ? undefined : `must be one of ${ROLES.join(', ')}`),
  ),
  workers: text(
    'DOORLIST_WORKERS',
    'auto',
    'auto',
    'Threads that answer requests, if `--workers` is not given: 1 to 16, or `auto` by the number of processors.',
    (value) => (parseWorkers(value) === undefined ? WORKERS_RULE : undefined),
  ),
  dataDir: text(
    'DOORLIST_DATA_DIR',
    './data',
    './data',
    'Directory for the embedded database and the generated master key.',
    (value) => (value === value.trim() ? undefined : 'must not begin or end with a space'),
  ),
  databaseUrl: secret(
    text(
      'DATABASE_URL',
      undefined,
      'unset: embedded SQLite',
      'PostgreSQL 15+ database, for any number of instances.',
      postgresUrlProblem,
    ),
  ),
  databasePool: whole('DOORLIST_DATABASE_POOL', 1, 1_000, 10, 'Maximum PostgreSQL connections per instance.'),
  databaseListenUrl: secret(
    text(
      'DATABASE_LISTEN_URL',
      undefined,
      '`DATABASE_URL`',
      'Direct connection to the same database for notifications, if `DATABASE_URL` points to a pooler.',
      postgresUrlProblem,
    ),
  ),
  databaseReplicaUrl: secret(
    text(
      'DATABASE_REPLICA_URL',
      undefined,
      'unset: `DATABASE_URL`',
      'Standby of the same database, for exports and statistics in the dashboard.',
      (value) =>
        postgresUrlProblem(value) ??
        (serverUrls(normalPostgresUrl(value)).length > 1 ? 'must name one host' : undefined),
    ),
  ),
  copyTo: secret(text('DOORLIST_COPY_TO', undefined, 'unset', 'Target of `copy`, if `--to` is not given.')),
  startTimeout: duration('DOORLIST_START_TIMEOUT', '60s', 'How long to wait for PostgreSQL at the start.'),
  stopDelay: duration(
    'DOORLIST_STOP_DELAY',
    '10s',
    'How long to serve requests after SIGTERM while `/readyz` returns 503, so that load balancers notice.',
  ),
  masterKey: secret(
    text(
      'DOORLIST_MASTER_KEY',
      undefined,
      'unset: `master.key` in the data directory',
      'Master key: 32 bytes in base64. It protects all personal data, which cannot be recovered without it.',
      checkMasterKey,
    ),
  ),
  masterKeyNext: secret(
    text(
      'DOORLIST_MASTER_KEY_NEXT',
      undefined,
      'unset',
      'New key for `master-key rotate`, if the current key is set in `DOORLIST_MASTER_KEY`.',
      checkMasterKey,
    ),
  ),
  backupPassphrase: secret(
    text(
      'DOORLIST_BACKUP_PASSPHRASE',
      undefined,
      'unset: prompt on a terminal',
      'Passphrase for `backup` and `restore`.',
    ),
  ),
  publicUrl: text(
    'DOORLIST_PUBLIC_URL',
    undefined,
    'http://HOST:PORT',
    'Public URL of this service, with a path if it has one. Used in links in invites and emails.',
    checkPublicUrl,
  ),
  logLevel: text(
    'DOORLIST_LOG_LEVEL',
    'info',
    'info',
    'Minimum log level: debug, info, warn, error or silent.',
    (value) => (LOG_LEVELS.includes(value) ? undefined : `must be one of ${LOG_LEVELS.join(', ')}`),
  ),
  requestLines: text(
    'DOORLIST_LOG_REQUESTS',
    'problems',
    'problems',
    'Which requests get a line in the log: problems (status 500, or longer than a second), all or none.',
    (value) =>
      REQUEST_LINES.includes(value as RequestLines)
        ? undefined
        : `must be one of ${REQUEST_LINES.join(', ')}`,
  ),
  metricsPort: text(
    'DOORLIST_METRICS_PORT',
    undefined,
    'unset: no port',
    'Port for metrics at `/metrics`, without authentication. 0 picks a free port.',
    (value) =>
      /^[0-9]{1,5}$/.test(value) && Number(value) <= 65_535
        ? undefined
        : 'must be a whole number from 0 to 65535',
  ),
  metricsHost: text(
    'DOORLIST_METRICS_HOST',
    '127.0.0.1',
    '127.0.0.1',
    'Address for the metrics port. Only open it to a network that you trust.',
    checkListenHost,
  ),
  otlpEndpoint: text(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    undefined,
    'unset: no traces',
    'OpenTelemetry collector to send traces to, as JSON over HTTP, such as `http://127.0.0.1:4318`.',
    checkUrl('http:', 'https:'),
  ),
  otlpHeaders: secret(
    text(
      'OTEL_EXPORTER_OTLP_HEADERS',
      '',
      'empty',
      'Headers for the collector, such as `Authorization=Bearer%20…`, separated by commas.',
      checkPairs,
    ),
  ),
  otelServiceName: text('OTEL_SERVICE_NAME', undefined, 'doorlist', 'Name of this service in traces.'),
  otelResource: text(
    'OTEL_RESOURCE_ATTRIBUTES',
    '',
    'empty',
    'What else traces say about this instance, such as `deployment.environment.name=staging`, separated by commas.',
    checkPairs,
  ),
  otelSampler: text(
    'OTEL_TRACES_SAMPLER',
    'parentbased_always_on',
    'parentbased_always_on',
    'What is traced: `always_on`, `always_off` or `traceidratio`, each also with `parentbased_` before it.',
    (value) => (SAMPLERS.includes(value) ? undefined : `must be one of ${SAMPLERS.join(', ')}`),
  ),
  otelSamplerArg: text(
    'OTEL_TRACES_SAMPLER_ARG',
    '1',
    '1',
    'Share of traces to keep with `traceidratio`, from 0 to 1.',
    (value) => (Number(value) >= 0 && Number(value) <= 1 ? undefined : 'must be a number from 0 to 1'),
  ),
  trustedProxies: text(
    'DOORLIST_TRUSTED_PROXIES',
    '',
    'empty',
    'Comma-separated addresses or CIDRs of proxies whose `X-Forwarded-For` is trusted.',
    (value) =>
      value.split(',').every((item) => isAddressOrCidr(item.trim()))
        ? undefined
        : 'must be addresses or CIDRs, separated by commas',
  ),
  mostWaitingSignups: whole(
    'DOORLIST_SIGNUP_BACKLOG',
    100,
    1_000_000,
    10_000,
    'Maximum entries waiting to be written. Further signups get a 503.',
  ),
  webhookAllow: text(
    'DOORLIST_WEBHOOK_ALLOW',
    '',
    'empty',
    'Comma-separated hosts or CIDRs that webhooks may reach even if private, and over plain http.',
    (value) => listOf(value).map(checkAllowed).find(Boolean),
  ),
  webhookProxy: secret(
    text(
      'DOORLIST_WEBHOOK_PROXY',
      undefined,
      'unset: direct connection',
      'HTTP proxy for webhooks. It resolves names and must block private networks itself.',
      checkUrl('http:', 'https:'),
    ),
  ),
  deliveryLogDays: whole(
    'DOORLIST_DELIVERY_LOG_DAYS',
    4,
    3_650,
    30,
    'Days to keep events, deliveries and attempts. Retries take up to 4 days, or 10 if an endpoint asks for it.',
  ),
  auditDays: whole('DOORLIST_AUDIT_DAYS', 30, 36_500, 730, 'Days to keep records of the audit trail.'),
  smtpUrl: secret(
    text(
      'DOORLIST_SMTP_URL',
      undefined,
      'unset: emails are kept in the mailbox',
      'Mail server: `smtp://user:password@host:587`, or `smtps://` for TLS from the start. Passwords require TLS.',
      (value) => checkUrl('smtp:', 'smtps:')(value) ?? checkHost(value),
    ),
  ),
  smtpConnections: whole(
    'DOORLIST_SMTP_CONNECTIONS',
    1,
    100,
    5,
    'Maximum connections to the mail server per instance.',
  ),
  smtpRate: whole(
    'DOORLIST_SMTP_RATE',
    0,
    10_000,
    0,
    'Maximum emails per second and instance. 0 means no limit.',
  ),
  mailFrom: text(
    'DOORLIST_MAIL_FROM',
    undefined,
    'required with `DOORLIST_SMTP_URL`',
    'Default sender, for waitlists without their own From address.',
    (value) => (isAsciiAddress(value) ? undefined : 'must be an email address in ASCII'),
  ),
  dkimKey: secret(
    text(
      'DOORLIST_DKIM_KEY',
      undefined,
      'unset: emails are not signed here',
      'RSA private key in PEM that signs emails (DKIM), for mail servers that do not sign. See `dkim-key generate`.',
      dkimKeyProblem,
    ),
  ),
  dkimDomain: text(
    'DOORLIST_DKIM_DOMAIN',
    undefined,
    'required with `DOORLIST_DKIM_KEY`',
    'Domain that signs: that of the From address, or one above it.',
    (value) => (isDomain(value) ? undefined : 'must be a domain, such as example.com'),
  ),
  dkimSelector: text(
    'DOORLIST_DKIM_SELECTOR',
    'doorlist',
    'doorlist',
    'Name of the key in the DNS, before `._domainkey`.',
    (value) => (isSelector(value) ? undefined : 'must be letters, digits, hyphens and dots'),
  ),
  bounceAddress: text(
    'DOORLIST_BOUNCE_ADDRESS',
    undefined,
    'unset: the From address',
    'Where bounces are sent, such as `bounces@example.com`. Each email gets its own, `bounces+…@example.com`.',
    bounceAddressProblem,
  ),
  limitInviteCheck: whole(
    'DOORLIST_RATE_LIMIT_INVITE_CHECK',
    0,
    1e9,
    600,
    'Invite checks per minute and client address. 0 means no limit.',
  ),
  limitInviteAccept: whole(
    'DOORLIST_RATE_LIMIT_INVITE_ACCEPT',
    0,
    1e9,
    300,
    'Invite accepts per minute and client address. 0 means no limit.',
  ),
  limitVerify: whole(
    'DOORLIST_RATE_LIMIT_VERIFY',
    0,
    1e9,
    600,
    'Webhook verifications per minute and client address. 0 means no limit.',
  ),
  limitAuthFailures: whole(
    'DOORLIST_RATE_LIMIT_AUTH_FAILURES',
    0,
    1e9,
    60,
    'Failed authentications per minute and client address. 0 means no limit.',
  ),
  limitSignIn: whole(
    'DOORLIST_RATE_LIMIT_SIGN_IN',
    0,
    1e9,
    30,
    'Attempts to sign in or use a one-time link per minute and client address. 0 means no limit.',
  ),
  limitPerKey: whole(
    'DOORLIST_RATE_LIMIT_KEY',
    0,
    1e9,
    0,
    'Requests per minute and server, gate or mail event key. 0 means no limit.',
  ),
  limitForm: whole(
    'DOORLIST_RATE_LIMIT_FORM',
    0,
    1e9,
    30,
    'Posts to public forms per minute and client address. 0 means no limit.',
  ),
  limitFormRead: whole(
    'DOORLIST_RATE_LIMIT_FORM_READ',
    0,
    1e9,
    600,
    'Reads of public forms, their script, hosted pages and status pages per minute and client address. 0 means no limit.',
  ),
  limitFormWaitlist: whole(
    'DOORLIST_RATE_LIMIT_FORM_WAITLIST',
    0,
    1e9,
    600,
    'Signups through the public form per minute and waitlist. 0 means no limit.',
  ),
  sessionIdle: duration(
    'DOORLIST_SESSION_IDLE',
    '24h',
    'How long an operator stays signed in without sending a request. At least 1m.',
    '1m',
  ),
  sessionLifetime: duration(
    'DOORLIST_SESSION_LIFETIME',
    '336h',
    'How long an operator stays signed in at most. At least 1m.',
    '1m',
  ),
} as const;

/** Variables with a secret, which can also come from a file. */
export const SECRETS = Object.values<Variable<unknown>>(VARIABLES)
  .filter(({ isSecret }) => isSecret)
  .map(({ name }) => name);
