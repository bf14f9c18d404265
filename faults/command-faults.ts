import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { OTHER, targetFor } from '../test/support/copy-target.ts';
import { commandJson, startCommand } from '../test/support/process.ts';
import { createStorage } from '../test/support/storage.ts';
import { between, type Run } from './scenario.ts';

const ROWS = 200;
const PASSPHRASE = { DOORLIST_BACKUP_PASSPHRASE: 'correct horse battery staple' };

async function inDirectory(work: (directory: string) => Promise<void>): Promise<void> {
  const directory = mkdtempSync(path.join(tmpdir(), 'doorlist-faults-'));
  try {
    await work(directory);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** Returns whether it had finished. */
async function killed(
  random: () => number,
  environment: Record<string, string>,
  ...words: string[]
): Promise<boolean> {
  const { child, finished } = startCommand({ ...environment, ...PASSPHRASE }, ...words);
  await between(random, 50, 900);
  child.kill('SIGKILL');
  const { code, stderr } = await finished;
  if (code !== null && stderr.startsWith('doorlist:')) throw new Error(`${words.join(' ')}: ${stderr}`);
  return code === 0;
}

function complete(environment: Record<string, string>, ...words: string[]): Promise<unknown> {
  return commandJson({ ...environment, ...PASSPHRASE }, ...words);
}

/** Commands that read or write everything, killed at any moment. */
export async function killCommands({ site, random, rounds }: Run): Promise<void> {
  await inDirectory(async (directory) => {
    const commands = [
      (round: number) => ['backup', path.join(directory, `${round}.backup`)],
      () => ['doctor', '--repair'],
      () => ['master-key', 'rotate'],
      (round: number) => [
        ...['export', '--waitlist', site.waitlistId],
        ...['--out', path.join(directory, `${round}.csv`)],
      ],
    ];
    for (let round = 0; round < rounds; round += 1) {
      const words = commands[round % commands.length]?.(round) ?? [];
      await killed(random, site.storage.environment, ...words);
    }
    await complete(site.storage.environment, 'master-key', 'rotate');
  });
}

/** The file is imported again afterwards: whoever was in already is a duplicate. */
export async function killImports({ site, random, rounds }: Run): Promise<void> {
  await inDirectory(async (directory) => {
    for (let round = 0; round < rounds; round += 1) {
      const file = path.join(directory, `${round}.csv`);
      const emails = Array.from({ length: ROWS }, (_, row) => `import-${round}-${row}@example.com`);
      for (const email of emails) site.ledger.asked.add(email);
      writeFileSync(file, `email\n${emails.join('\n')}\n`);
      const words = ['import', file, '--waitlist', site.waitlistId];
      await killed(random, site.storage.environment, ...words);
      await complete(site.storage.environment, ...words);
      for (const email of emails) site.ledger.joined(email).silent = true;
    }
  });
}

/** To the other engine and back, by a copy that was killed once. */
export async function moveByCopies({ site, random, rounds }: Run): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    await between(random, 300, 1_000);
    const source = site.storage;
    const target = await createStorage(OTHER[source.engine]);
    const { to, environment } = targetFor(source, target);
    site.ledger.fault();
    await site.end(0, 'SIGTERM');
    const words = ['copy', '--to', to];
    if (!(await killed(random, source.environment, ...words))) {
      await complete(source.environment, ...words);
    }
    site.moveTo({ ...target, environment });
    await site.start(0);
  }
}

/** To a new machine, by a backup. A restore that was killed is repeated into an empty place. */
export async function moveByBackups({ site, random, rounds }: Run): Promise<void> {
  await inDirectory(async (directory) => {
    for (let round = 0; round < rounds; round += 1) {
      await between(random, 300, 1_000);
      const { engine, environment } = site.storage;
      const file = path.join(directory, `${round}.backup`);
      site.ledger.fault();
      await site.end(0, 'SIGTERM');
      await complete(environment, 'backup', file);
      const half = await createStorage(engine);
      const finished = await killed(random, half.environment, 'restore', file);
      const target = finished ? half : await createStorage(engine);
      if (!finished) {
        await half.remove();
        await complete(target.environment, 'restore', file);
      }
      site.moveTo(target);
      await site.start(0);
    }
  });
}
