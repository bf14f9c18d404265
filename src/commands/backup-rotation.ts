import { lstatSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { describeBackup } from '../vault/backup-reader.ts';

const NAME = /^doorlist-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.backup$/;

/** Without colons, which some file systems do not take. */
export function backupName(createdAt: string): string {
  return `doorlist-${createdAt.slice(0, 19).replaceAll(':', '-')}Z.backup`;
}

/**
 * Keeps the newest backups of this installation in a directory. Everything else there is left alone: other names,
 * links, and backups of another installation.
 */
export async function deleteOlderBackups(
  directory: string,
  keep: number,
  installedAt: string,
): Promise<string[]> {
  const ours: { name: string; createdAt: string }[] = [];
  for (const name of (await readdir(directory)).filter((each) => NAME.test(each))) {
    const file = path.join(directory, name);
    if (!lstatSync(file).isFile()) continue;
    const about = await describeBackup(file).catch(() => undefined);
    if (about && about.installedAt === installedAt && backupName(about.createdAt) === name)
      ours.push({ name, createdAt: about.createdAt });
  }
  const older = ours.toSorted((a, b) => (a.createdAt < b.createdAt ? 1 : -1)).slice(keep);
  for (const { name } of older) await rm(path.join(directory, name));
  return older.map(({ name }) => name).toSorted();
}
