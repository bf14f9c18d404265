import { closeSync, fsyncSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Config } from '../config/config.ts';
import { type DkimKey, dkimRecord, generateDkimKey, isDomain, isSelector } from '../lib/dkim-key.ts';
import { conflict, invalid } from '../lib/errors.ts';
import { createDataFile, systemErrorWords } from '../lib/files.ts';
import { type Command, type Flags, textOr, UsageProblem } from './command.ts';

export const dkimKeys: Command[] = [
  {
    name: 'dkim-key generate',
    about: 'Create a key that signs emails (DKIM), and print the DNS record to publish.',
    flags: {
      domain: { value: 'DOMAIN', about: 'Domain that signs (default: that of DOORLIST_MAIL_FROM).' },
      selector: { value: 'SELECTOR', about: 'Name of the key in the DNS (default: doorlist).' },
      out: { value: 'FILE', about: 'File for the private key (default: dkim.key in the data directory).' },
    },
    raw: async (config, _operands, flags) => {
      const { domain, selector } = namesOf(config, flags);
      const out = textOr(flags, 'out', undefined);
      const file = path.resolve(out ?? path.join(config.dataDir, 'dkim.key'));
      if (out === undefined) mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
      const key = { privateKey: await generateDkimKey(), domain, selector };
      writeKey(file, key.privateKey, path.dirname(file) === path.resolve(config.dataDir));
      return {
        json: { file, ...shown(key) },
        text: `Private key: ${file}\n\n${recordText(key)}\n\n${nextSteps(file, key)}`,
      };
    },
  },
  {
    name: 'dkim-key show',
    about: 'Print the DNS record of the key that signs emails.',
    raw: async ({ dkim }) => {
      if (!dkim) throw invalid('DOORLIST_DKIM_KEY: is not set, so emails are not signed here');
      return { json: shown(dkim), text: recordText(dkim) };
    },
  },
];

function namesOf(config: Config, flags: Flags): Pick<DkimKey, 'domain' | 'selector'> {
  const ofSender = config.mailFrom.slice(config.mailFrom.lastIndexOf('@') + 1);
  const domain = textOr(flags, 'domain', config.dkim?.domain ?? (isDomain(ofSender) ? ofSender : undefined));
  if (domain === undefined) throw new UsageProblem('--domain is required');
  if (!isDomain(domain)) throw new UsageProblem('--domain: must be a domain, such as example.com');
  const selector = textOr(flags, 'selector', 'doorlist');
  if (!isSelector(selector)) throw new UsageProblem('--selector: must be letters, digits, hyphens and dots');
  return { domain: domain.toLowerCase(), selector };
}

/** A key in use is never replaced: what is on its way could no longer be verified. */
function writeKey(file: string, privateKey: string, isData: boolean): void {
  try {
    const handle = isData ? createDataFile(file) : openSync(file, 'wx', 0o600);
    try {
      writeFileSync(handle, privateKey);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (code === 'EEXIST')
      throw conflict(`${file} already exists. Give another file with --out, and another --selector`);
    throw invalid(`cannot write ${file}: ${systemErrorWords(code)}`);
  }
}

function shown(key: DkimKey) {
  const { name, value, zoneLine } = dkimRecord(key);
  return { domain: key.domain, selector: key.selector, record: { name, type: 'TXT', value, zoneLine } };
}

function recordText(key: DkimKey): string {
  const { name, value, zoneLine } = dkimRecord(key);
  return `Publish this DNS record:

  Name   ${name}
  Type   TXT
  Value  ${value}

Or in a zone file:

  ${zoneLine}`;
}

function nextSteps(file: string, { domain, selector }: DkimKey): string {
  return `Once it is published, restart the server with these variables:

  DOORLIST_DKIM_KEY_FILE=${file}
  DOORLIST_DKIM_DOMAIN=${domain}
  DOORLIST_DKIM_SELECTOR=${selector}`;
}
