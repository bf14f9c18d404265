import { type FileHandle, open } from 'node:fs/promises';
import {
  type BackupHeader,
  BackupProblem,
  type BackupSecrets,
  deriveBackupKey,
  LARGEST_HEADER_BYTES,
  LARGEST_MESSAGE_BYTES,
  MAGIC,
  MESSAGE_OVERHEAD_BYTES,
  openMessages,
  parseHeader,
  STREAM_HEADER_BYTES,
} from './backup-format.ts';

export interface OpenedBackup {
  about: BackupHeader;
  secrets: BackupSecrets;
  /**
   * The backed-up data, from its beginning at each call. Throws at the end, at the latest, if the file is
   * damaged.
   */
  data(): AsyncIterable<Buffer>;
}

/** Of the first bytes. With more wrong ones, it is something else. */
const MOST_DAMAGED = 4;

const DAMAGED = 'this backup is damaged or incomplete: nothing was restored';

/** The file's header, which is not authenticated until `openBackup`. */
export async function describeBackup(file: string): Promise<BackupHeader> {
  const handle = await open(file);
  return readHeader(sequentially(handle))
    .then(({ header }) => header)
    .finally(() => handle.close());
}

export async function openBackup(file: string, passphrase: string): Promise<OpenedBackup> {
  const about = await describeBackup(file);
  const key = await deriveBackupKey(passphrase, about.passphrase);
  const messages = readMessages(file, key);
  try {
    const first = await messages.next();
    if (first.done) throw new BackupProblem(DAMAGED);
    const secrets = JSON.parse(first.value.toString()) as BackupSecrets;
    return { about, secrets, data: () => withoutFirst(readMessages(file, key)) };
  } finally {
    await messages.return(undefined);
  }
}

async function* withoutFirst(messages: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  let first = true;
  for await (const message of messages) {
    if (!first) yield message;
    first = false;
  }
}

async function* readMessages(file: string, key: Buffer): AsyncGenerator<Buffer, undefined> {
  const handle = await open(file);
  try {
    const read = sequentially(handle);
    const { fileHeader } = await readHeader(read);
    const unseal = openMessages(key, fileHeader, await read(STREAM_HEADER_BYTES));
    for (let first = true; ; first = false) {
      const length = (await read(4)).readUInt32BE();
      if (length < MESSAGE_OVERHEAD_BYTES || length > LARGEST_MESSAGE_BYTES + MESSAGE_OVERHEAD_BYTES)
        throw new BackupProblem(DAMAGED);
      const opened = unseal(await read(length));
      if (!opened)
        throw new BackupProblem(first ? 'the passphrase is wrong, or the backup is damaged' : DAMAGED);
      if (opened.final) break;
      yield opened.message;
    }
    if ((await handle.read(Buffer.alloc(1), 0, 1)).bytesRead > 0) throw new BackupProblem(DAMAGED);
  } finally {
    await handle.close();
  }
}

type Read = (length: number) => Promise<Buffer>;

async function readHeader(read: Read): Promise<{ header: BackupHeader; fileHeader: Buffer }> {
  const start = await read(MAGIC.length + 4);
  const differing = MAGIC.filter((byte, at) => byte !== start[at]).length;
  if (differing > MOST_DAMAGED) throw new BackupProblem('this is not a Doorlist backup');
  if (differing > 0) throw new BackupProblem(DAMAGED);
  const length = start.readUInt32BE(MAGIC.length);
  if (length > LARGEST_HEADER_BYTES) throw new BackupProblem(DAMAGED);
  const text = await read(length);
  return { header: parseHeader(text), fileHeader: Buffer.concat([start, text]) };
}

/** Reads from where the last read ended. Throws if the file ends too early. */
function sequentially(handle: FileHandle): Read {
  return async (length) => {
    const buffer = Buffer.allocUnsafe(length);
    for (let at = 0; at < length; ) {
      const { bytesRead } = await handle.read(buffer, at, length - at);
      if (bytesRead === 0) throw new BackupProblem(DAMAGED);
      at += bytesRead;
    }
    return buffer;
  };
}
