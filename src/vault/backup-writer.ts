import { createHash } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Writable } from 'node:stream';
import { systemErrorWords } from '../lib/files.ts';
import {
  type BackupAbout,
  BackupProblem,
  type BackupSecrets,
  deriveBackupKey,
  encodeHeader,
  LARGEST_MESSAGE_BYTES,
  newHeader,
  type PassphraseCost,
  sealMessages,
  TAG_FINAL,
} from './backup-format.ts';

export interface WrittenBackup {
  bytes: number;
  /** SHA-256 of the file, in hex. */
  checksum: string;
}

export interface BackupContent {
  about: BackupAbout;
  secrets: BackupSecrets;
  data: AsyncIterable<Uint8Array>;
  /** Lower in tests. */
  cost?: PassphraseCost | undefined;
}

/** All or nothing: the file gets its name once all of it is on disk. */
export async function writeBackup(
  file: string,
  passphrase: string,
  content: BackupContent,
): Promise<WrittenBackup> {
  refuseExisting(file);
  const part = `${file}.part`;
  const handle = await open(part, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
    throw new BackupProblem(
      `${part} already exists: another backup is writing it, or was interrupted. Delete it if none is running.`,
    );
  });
  try {
    const write = (chunk: Buffer) => handle.writeFile(chunk).catch((error) => failToWrite(part, error));
    const written = await writeAll(write, passphrase, content)
      .then(async (all) => {
        await handle.sync().catch((error) => failToWrite(part, error));
        return all;
      })
      .finally(() => handle.close());
    refuseExisting(file);
    await rename(part, file);
    await syncDirectory(path.dirname(file));
    return written;
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

/** Whoever reads it finds out by its end whether it is complete. */
export async function streamBackup(
  stream: Writable,
  passphrase: string,
  content: BackupContent,
): Promise<WrittenBackup> {
  const write = (chunk: Buffer) =>
    new Promise<void>((resolve, reject) => {
      stream.write(chunk, (error) => (error ? reject(error) : resolve()));
    });
  const failed = ({ code = '', message }: NodeJS.ErrnoException) => {
    const reason = code === '' ? message : systemErrorWords(code);
    throw new BackupProblem(`could not write to standard output: ${reason}`);
  };
  return writeAll((chunk) => write(chunk).catch(failed), passphrase, content);
}

export function refuseExisting(file: string): void {
  if (lstatSync(file, { throwIfNoEntry: false }))
    throw new BackupProblem(`${file} already exists: choose another name`);
}

/** The errors of an open file do not name it. */
export function failToWrite(file: string, { code = '', message }: NodeJS.ErrnoException): never {
  const reason = code === '' ? message : systemErrorWords(code);
  throw new BackupProblem(`could not write ${path.resolve(file)}: ${reason}`);
}

async function writeAll(
  writeChunk: (chunk: Buffer) => Promise<unknown>,
  passphrase: string,
  { about, secrets, data, cost }: BackupContent,
): Promise<WrittenBackup> {
  const header = newHeader(about, cost);
  const fileHeader = encodeHeader(header);
  const { seal, streamHeader } = sealMessages(
    await deriveBackupKey(passphrase, header.passphrase),
    fileHeader,
  );
  const hash = createHash('sha256');
  let bytes = 0;
  const write = async (chunk: Buffer) => {
    await writeChunk(chunk);
    hash.update(chunk);
    bytes += chunk.length;
  };
  await write(fileHeader);
  await write(streamHeader);
  await write(seal(Buffer.from(JSON.stringify(secrets))));
  for await (const chunk of data) {
    for (let at = 0; at < chunk.length; at += LARGEST_MESSAGE_BYTES) {
      await write(seal(chunk.subarray(at, at + LARGEST_MESSAGE_BYTES)));
    }
  }
  await write(seal(Buffer.alloc(0), TAG_FINAL));
  return { bytes, checksum: hash.digest('hex') };
}

export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  await handle.sync().finally(() => handle.close());
}
