import { randomUUID } from 'node:crypto';
import { normalPostgresUrl } from '../db/postgres/url.ts';
import type { DkimKey } from '../lib/dkim-key.ts';
import { isTypo, nearest } from '../lib/text.ts';
import { fileVariable, prepareEnvironment } from './environment.ts';
import { normalPublicUrl } from './public-url.ts';
import { ConfigProblem, listOf, pairsOf, type Variable } from './variable.ts';
import {
  NODE_VARIABLE,
  parseWorkers,
  type RequestLines,
  type Role,
  SECRETS,
  SOURCES_VARIABLE,
  VARIABLES,
} from './variables.ts';

export interface Config {
  host: string;
  port: number;
  /** What this instance does: answer requests, work in the background, or both. */
  role: Role;
  /** How many threads answer requests. */
  workers: number | 'auto';
  dataDir: string;
  /** Where the variables come from, in words. Unknown outside of the command line. */
  settingsFrom?: string;
  databaseUrl: string | undefined;
  databasePool: number;
  /** undefined for the same as `databaseUrl`. */
  databaseListenUrl: string | undefined;
  /** For long reads. undefined for none. */
  databaseReplicaUrl: string | undefined;
  /** The target of `copy`. */
  copyTo: string | undefined;
  startTimeoutMs: number;
  stopDelayMs: number;
  masterKey: string | undefined;
  masterKeyNext: string | undefined;
  backupPassphrase: string | undefined;
  publicUrl: string;
  /** Otherwise it is the address to listen on. */
  isPublicUrlSet: boolean;
  logLevel: string;
  requestLines: RequestLines;
  /** undefined for none. */
  metricsPort: number | undefined;
  metricsHost: string;
  /** undefined if there is no collector. */
  tracing:
    | {
        endpoint: string;
        headers: Record<string, string>;
        resource: Record<string, string>;
        sampler: string;
        /** For a sampler that keeps a share. */
        ratio: number;
      }
    | undefined;
  trustedProxies: string[];
  mostWaitingSignups: number;
  webhookAllow: string[];
  webhookProxy: string | undefined;
  deliveryLogDays: number;
  auditDays: number;
  smtpUrl: string | undefined;
  smtpConnections: number;
  smtpRate: number;
  mailFrom: string;
  /** undefined if emails are not signed here. */
  dkim: DkimKey | undefined;
  /** Where bounces are sent. undefined for the sender. */
  bounceAddress: string | undefined;
  rateLimits: {
    inviteCheck: number;
    inviteAccept: number;
    verify: number;
    authFailures: number;
    perKey: number;
    signIn: number;
    form: number;
    formRead: number;
    formWaitlist: number;
  };
  sessions: {
    idleMs: number;
    lifetimeMs: number;
  };
  /** Names of variables that Kubernetes sets. */
  ignoredVariables: string[];
}

/** A misspelled variable would otherwise be ignored silently. */
function unknownVariables(environment: NodeJS.ProcessEnv): string[] {
  const names = [
    ...Object.values(VARIABLES).map(({ name }) => name),
    ...SECRETS.map(fileVariable),
    NODE_VARIABLE.name,
    SOURCES_VARIABLE.name,
  ];
  return Object.keys(environment)
    .filter(
      (name) => name.startsWith('DOORLIST_') && !name.startsWith('DOORLIST_TEST_') && !names.includes(name),
    )
    .map((name) => {
      const near = nearest(name, names);
      return `${name}: unknown variable.${near === undefined ? '' : ` Did you mean ${near}?`}`;
    });
}

/** Short names such as PORT are like many others that have nothing to do with us. */
const TYPO_CHARACTERS_MIN = 8;

/** A database that is named by a typo would mean one of our own, in a place that nobody backs up. */
function misspelledVariables(environment: NodeJS.ProcessEnv): string[] {
  const missing = Object.values(VARIABLES)
    .map(({ name }) => name)
    .filter((name) => name.length >= TYPO_CHARACTERS_MIN && environment[name] === undefined);
  return Object.keys(environment)
    .filter((name) => environment[name] !== undefined && !name.startsWith('DOORLIST_'))
    .flatMap((name) => {
      const meant = missing.find((each) => isTypo(name.toUpperCase(), each));
      return meant === undefined ? [] : [`${name}: unknown variable. Did you mean ${meant}?`];
    });
}

function readTracing(read: <T>(variable: Variable<T>) => T): Config['tracing'] {
  const endpoint = read(VARIABLES.otlpEndpoint);
  const resource = Object.fromEntries(pairsOf(read(VARIABLES.otelResource)));
  const name = read(VARIABLES.otelServiceName) ?? resource['service.name'] ?? 'doorlist';
  const tracing = {
    headers: Object.fromEntries(pairsOf(read(VARIABLES.otlpHeaders))),
    // All threads of a server have this configuration, so that they are one instance.
    resource: { 'service.instance.id': randomUUID(), ...resource, 'service.name': name },
    sampler: read(VARIABLES.otelSampler),
    ratio: Number(read(VARIABLES.otelSamplerArg)),
  };
  return endpoint === undefined ? undefined : { endpoint, ...tracing };
}

function readDkim(read: <T>(variable: Variable<T>) => T): DkimKey | undefined {
  const privateKey = read(VARIABLES.dkimKey);
  const domain = read(VARIABLES.dkimDomain);
  const selector = read(VARIABLES.dkimSelector);
  if (privateKey === undefined || domain === undefined) return undefined;
  return { privateKey, domain: domain.toLowerCase(), selector };
}

/** Whatever somebody typed is the passphrase. */
const VERBATIM = VARIABLES.backupPassphrase.name;

/** Keys and URLs of secret stores often end with a newline. */
function withoutSpaces({ name, isSecret }: Variable<unknown>, value: string | undefined): string | undefined {
  return isSecret && name !== VERBATIM ? value?.trim() : value;
}

/** With the first of each pair, the second must be set. */
const REQUIRED_WITH: readonly (readonly [Variable<unknown>, Variable<unknown>])[] = [
  [VARIABLES.databaseListenUrl, VARIABLES.databaseUrl],
  [VARIABLES.databaseReplicaUrl, VARIABLES.databaseUrl],
  [VARIABLES.smtpUrl, VARIABLES.mailFrom],
  [VARIABLES.dkimKey, VARIABLES.dkimDomain],
];

const ALL_ADDRESSES = ['0.0.0.0', '::'];

function overlap(...hosts: [string, string]): boolean {
  return hosts[0] === hosts[1] || hosts.some((host) => ALL_ADDRESSES.includes(host));
}

/** Reads every variable. Throws one `ConfigProblem` that lists all problems. */
export function readConfig(given: NodeJS.ProcessEnv): Config {
  const { values: environment, ignored, problems } = prepareEnvironment(given, SECRETS);
  problems.unshift(...unknownVariables(environment), ...misspelledVariables(environment));
  const read = <T>(variable: Variable<T>): T => {
    const value = withoutSpaces(variable, environment[variable.name]);
    try {
      if (variable.name !== VERBATIM && /^(["']).*\1$/s.test(value ?? ''))
        throw new ConfigProblem(`${variable.name}: has quotation marks around the value. Remove them`);
      return variable.parse(value);
    } catch (error) {
      if (!(error instanceof ConfigProblem)) throw error;
      const message =
        value === value?.trim()
          ? error.message
          : `${variable.name}: has a space or line break around the value. Remove it`;
      const isFromFile = given[fileVariable(variable.name)] && !given[variable.name];
      problems.push(isFromFile ? message.replace(variable.name, fileVariable) : message);
      return variable.parse(undefined);
    }
  };
  const host = read(VARIABLES.host);
  const port = read(VARIABLES.port);
  const mailFrom = read(VARIABLES.mailFrom);
  const publicUrl = read(VARIABLES.publicUrl);
  const metricsPort = read(VARIABLES.metricsPort);
  const databaseUrl = read(VARIABLES.databaseUrl);
  const databaseListenUrl = read(VARIABLES.databaseListenUrl);
  const databaseReplicaUrl = read(VARIABLES.databaseReplicaUrl);
  const config: Config = {
    host,
    port,
    role: read(VARIABLES.role) as Role,
    workers: parseWorkers(read(VARIABLES.workers)) ?? 'auto',
    dataDir: read(VARIABLES.dataDir),
    databaseUrl: databaseUrl && normalPostgresUrl(databaseUrl),
    databasePool: read(VARIABLES.databasePool),
    databaseListenUrl: databaseListenUrl && normalPostgresUrl(databaseListenUrl),
    databaseReplicaUrl: databaseReplicaUrl && normalPostgresUrl(databaseReplicaUrl),
    copyTo: read(VARIABLES.copyTo),
    startTimeoutMs: read(VARIABLES.startTimeout),
    stopDelayMs: read(VARIABLES.stopDelay),
    masterKey: read(VARIABLES.masterKey),
    masterKeyNext: read(VARIABLES.masterKeyNext),
    backupPassphrase: read(VARIABLES.backupPassphrase),
    publicUrl:
      publicUrl === undefined
        ? `http://${host.includes(':') ? `[${host}]` : host}:${port}`
        : normalPublicUrl(publicUrl),
    isPublicUrlSet: publicUrl !== undefined,
    logLevel: read(VARIABLES.logLevel),
    requestLines: read(VARIABLES.requestLines) as RequestLines,
    metricsPort: metricsPort === undefined ? undefined : Number(metricsPort),
    metricsHost: read(VARIABLES.metricsHost),
    tracing: readTracing(read),
    trustedProxies: listOf(read(VARIABLES.trustedProxies)),
    mostWaitingSignups: read(VARIABLES.mostWaitingSignups),
    webhookAllow: listOf(read(VARIABLES.webhookAllow)),
    webhookProxy: read(VARIABLES.webhookProxy),
    deliveryLogDays: read(VARIABLES.deliveryLogDays),
    auditDays: read(VARIABLES.auditDays),
    smtpUrl: read(VARIABLES.smtpUrl),
    smtpConnections: read(VARIABLES.smtpConnections),
    smtpRate: read(VARIABLES.smtpRate),
    mailFrom: mailFrom ?? 'doorlist@localhost',
    dkim: readDkim(read),
    bounceAddress: read(VARIABLES.bounceAddress),
    rateLimits: {
      inviteCheck: read(VARIABLES.limitInviteCheck),
      inviteAccept: read(VARIABLES.limitInviteAccept),
      verify: read(VARIABLES.limitVerify),
      authFailures: read(VARIABLES.limitAuthFailures),
      perKey: read(VARIABLES.limitPerKey),
      signIn: read(VARIABLES.limitSignIn),
      form: read(VARIABLES.limitForm),
      formRead: read(VARIABLES.limitFormRead),
      formWaitlist: read(VARIABLES.limitFormWaitlist),
    },
    sessions: {
      idleMs: read(VARIABLES.sessionIdle),
      lifetimeMs: read(VARIABLES.sessionLifetime),
    },
    ignoredVariables: ignored,
  };
  // One that is given and wrong is a problem of its own.
  const isGiven = ({ name }: Variable<unknown>) =>
    Boolean(environment[name] || (SECRETS.includes(name) && given[fileVariable(name)]));
  if (isGiven(VARIABLES.masterKeyNext) && !isGiven(VARIABLES.masterKey))
    problems.push('DOORLIST_MASTER_KEY_NEXT: can only be set together with DOORLIST_MASTER_KEY');
  for (const [set, required] of REQUIRED_WITH)
    if (isGiven(set) && !isGiven(required))
      problems.push(`${required.name}: is required when ${set.name} is set`);
  if (port > 0 && config.metricsPort === port && overlap(host, config.metricsHost))
    problems.push(`DOORLIST_METRICS_PORT: must be another port than PORT, which is ${port}`);
  if (problems.length > 0) throw new ConfigProblem(problems.join('\n'));
  return config;
}
