import { readFileSync } from 'node:fs';
import path from 'node:path';
import { systemErrorWords } from '../lib/files.ts';

/** Set by Kubernetes in every pod for each service of the namespace, here one whose name begins with `doorlist`. */
const OF_A_SERVICE =
  /^DOORLIST_(\w+_)?(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)$/;
const PORT_OF_A_SERVICE = /^DOORLIST_(\w+_)?PORT$/;
const ADDRESS_OF_A_SERVICE = /^(tcp|udp|sctp):\/\//;

interface Environment {
  values: NodeJS.ProcessEnv;
  /** Variables of Kubernetes, which mean something else than ours. */
  ignored: string[];
  problems: string[];
}

/** Leaves out what Kubernetes injects, and reads each secret `X` from the file that `X_FILE` names. */
export function prepareEnvironment(given: NodeJS.ProcessEnv, secrets: readonly string[]): Environment {
  const isInjected = (name: string) =>
    OF_A_SERVICE.test(name) || (PORT_OF_A_SERVICE.test(name) && ADDRESS_OF_A_SERVICE.test(given[name] ?? ''));
  const ignored = Object.keys(given).filter(isInjected);
  const values = Object.fromEntries(Object.entries(given).filter(([name]) => !isInjected(name)));
  const problems: string[] = [];
  for (const name of secrets) {
    const file = values[fileVariable(name)];
    delete values[fileVariable(name)];
    if (file === undefined || file === '') continue;
    if (values[name]) problems.push(`${fileVariable(name)}: cannot be set together with ${name}`);
    else values[name] = readSecret(fileVariable(name), file, problems);
  }
  return { values, ignored, problems };
}

export function fileVariable(name: string): string {
  return `${name}_FILE`;
}

/** Editors and `echo` end a file with a newline, which is not part of the secret. */
function readSecret(variable: string, file: string, problems: string[]): string | undefined {
  try {
    const secret = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
    if (secret !== '') return secret;
    problems.push(`${variable}: ${path.resolve(file)} is empty`);
  } catch (error) {
    const reason = systemErrorWords((error as NodeJS.ErrnoException).code ?? '');
    problems.push(`${variable}: cannot read ${path.resolve(file)}: ${reason}`);
  }
  return undefined;
}
