import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import type { Config } from '../config/config.ts';
import { VARIABLES } from '../config/variables.ts';
import { CHECKOUT_COMMAND, commandFor, isImage, ROOT, startFor } from '../lib/root.ts';
import { shellWord } from '../lib/text.ts';

/** How commands are run on this installation, in any terminal of its machine. */
export interface OwnCommands {
  /** What comes before the words of a command. */
  command: string;
  /** What it needs to find the same database and keys. Never secrets. */
  variables: Record<string, string>;
  /** Secrets that it needs as well. */
  secrets: string[];
  /** How the server is started, but for the rest of its variables. null if the container says that. */
  start: string | null;
}

interface Place {
  root: string;
  script: string;
  directory: string;
  host: string;
  isPod: boolean;
}

type Settings = Pick<
  Config,
  'databaseUrl' | 'masterKey' | 'dataDir' | 'host' | 'port' | 'isPublicUrlSet' | 'publicUrl'
>;

export function ownCommands(config: Settings, place: Place = thisPlace()): OwnCommands {
  // What runs in a container has the variables of the container.
  if (isImage(place.script)) return { command: inContainer(place), variables: {}, secrets: [], start: null };
  const command = outsideContainer(place);
  const variables = { ...storageOf(config, command, place) };
  const secrets =
    config.databaseUrl === undefined
      ? []
      : ['DATABASE_URL', ...(config.masterKey === undefined ? [] : ['DOORLIST_MASTER_KEY'])];
  const listening = {
    ...changed('PORT', String(config.port), VARIABLES.port.shownDefault),
    ...changed('HOST', config.host, VARIABLES.host.shownDefault),
    ...(config.isPublicUrlSet ? { DOORLIST_PUBLIC_URL: config.publicUrl } : {}),
  };
  return { command, variables, secrets, start: inline({ ...variables, ...listening }, startFor(command)) };
}

/** The same with these words, to be copied: with what it needs, but its secrets. */
export function ownCommand(config: Settings, words: string): string {
  const { command, variables } = ownCommands(config);
  return inline(variables, `${command} ${words}`);
}

/** A command with its variables, on one line. */
export function inline(variables: Record<string, string>, command: string): string {
  const set = Object.entries(variables).map(([name, value]) => `${name}=${shellWord(value)}`);
  return [...set, command].join(' ');
}

function thisPlace(): Place {
  return {
    root: ROOT,
    script: process.argv[1] ?? '',
    directory: process.cwd(),
    host: hostname(),
    isPod: existsSync('/var/run/secrets/kubernetes.io'),
  };
}

/** Docker names a container's host by the beginning of its id, and Kubernetes by its pod. */
function inContainer({ host, isPod }: Place): string {
  if (isPod) return `kubectl exec ${host} -- doorlist`;
  return /^[0-9a-f]{12}$/.test(host) ? `docker exec ${host} doorlist` : 'doorlist';
}

/** `npm` runs everything in the checkout's directory, so that relative paths and a `.env` file elsewhere are not found. */
function outsideContainer({ root, script, directory }: Place): string {
  const command = commandFor(root, script);
  return command === CHECKOUT_COMMAND && directory !== root
    ? shellWord(path.join(root, 'bin', 'doorlist'))
    : command;
}

/** On PostgreSQL, the data directory matters if it has the master key. */
function storageOf({ databaseUrl, masterKey, dataDir }: Settings, command: string, { directory }: Place) {
  const isUsed = databaseUrl === undefined || masterKey === undefined;
  const isFound = command === CHECKOUT_COMMAND && dataDir === VARIABLES.dataDir.shownDefault;
  return isUsed && !isFound ? { DOORLIST_DATA_DIR: path.resolve(directory, dataDir) } : {};
}

function changed(name: string, value: string, usual: string | undefined): Record<string, string> {
  return value === usual ? {} : { [name]: value };
}
