import path from 'node:path';
import type { Config } from '../config/config.ts';
import { BETA } from '../demo/product.ts';
import { type Demo, openDemo } from '../demo/run-demo.ts';
import { isThere } from '../lib/files.ts';
import { DAY_MS } from '../lib/time.ts';
import { backUp } from './backup.ts';
import { type Command, type Flags, type Outcome, parseWhole, textOr } from './command.ts';
import { progressLine } from './progress.ts';

const DIR = './demo-data';
const ENTRIES = 25_000;
const DAYS = 90;
const BACKUP_FILE = 'orbit.backup';

export const demo: Command[] = [
  {
    name: 'demo',
    about:
      'Serve a demo with made-up data in its own directory. Sends nothing to the network: it catches its emails.',
    flags: {
      dir: { value: 'DIR', about: `Directory for the demo (default: ${DIR}).` },
      fresh: { about: 'Build the demo again, up to today. Discards all changes made in it.' },
      entries: { value: 'COUNT', about: `People on the waitlist when it is built (default: ${ENTRIES}).` },
      'build-only': { about: 'Build the demo and exit.' },
    },
    raw: runDemo,
  },
];

async function runDemo(config: Config, _: string[], flags: Flags): Promise<Outcome> {
  const dir = textOr(flags, 'dir', DIR);
  const entries = parseWhole(flags, 'entries', { from: 100, to: 1_000_000 }) ?? ENTRIES;
  const onDay = (day: number) => progressLine(`Building the demo: day ${day} of ${DAYS}`);
  const opened = await openDemo(config, { dir, entries, fresh: flags.fresh === true, onDay });
  const { email, password, built, close } = opened;
  const outcome = { json: { dir, email, password, built }, text: '' };
  try {
    await backUpOnce(opened, path.join(dir, BACKUP_FILE));
    if (flags['build-only'] === true) return { ...outcome, text: `The demo is in ${dir}.` };
    const { serve } = await import('../server/serve.ts');
    const print = (text: string) => process.stderr.write(`${text}\n`);
    const exitCode = await serve(opened.config, (welcome) =>
      print(`${firstLine(welcome)}\n\n${nextSteps(opened)}`),
    );
    return { json: null, text: '', exitCode };
  } finally {
    await close();
  }
}

/** Its health says that there is a backup, and so there is one. */
async function backUpOnce({ config, password }: Demo, file: string): Promise<void> {
  if (!isThere(file)) await backUp({ ...config, backupPassphrase: password }, { file }, true, undefined);
}

/** The address. The rest is for those who start from nothing. */
function firstLine(welcome: string): string {
  return welcome.trim().split('\n')[0] ?? '';
}

function nextSteps({ email, password, builtAt, config: { publicUrl } }: Demo): string {
  const age = Math.floor((Date.now() - builtAt) / DAY_MS);
  const old =
    age < 1
      ? ''
      : `\n\nIts data ends ${age} ${age === 1 ? 'day' : 'days'} ago. Build it again, up to today, with --fresh.`;
  return `Sign in to the demo:

  Email     ${email}
  Password  ${password}

Join its waitlist at ${publicUrl}/w/${BETA}: the email that you get is in the dashboard, under Mailbox.
Everyone in it is made up. Emails and webhooks go to receivers inside this process.${old}
Press Ctrl+C to stop. Your own installation in ./data is not touched.`;
}
