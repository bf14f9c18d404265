import sodium from 'sodium-native';
import { randomBytes } from '../lib/ids.ts';
import { VERSION } from '../lib/root.ts';
import { KEY_BYTES, plainHash } from './crypto.ts';

/**
 * A backup file: MAGIC, the length of the header, the header as JSON, the header of the secret stream, and
 * then messages, each after its length. The first message holds the secrets. The last one is empty and marked
 * as final, so a truncated file is detected. Every message also authenticates the file's header.
 */
export const MAGIC = Buffer.from('doorlist backup\n');
export const STREAM_HEADER_BYTES = sodium.crypto_secretstream_xchacha20poly1305_HEADERBYTES;
export const MESSAGE_OVERHEAD_BYTES = sodium.crypto_secretstream_xchacha20poly1305_ABYTES;
export const LARGEST_MESSAGE_BYTES = 1024 * 1024;
export const LARGEST_HEADER_BYTES = 4096;
const TAG_MESSAGE = sodium.crypto_secretstream_xchacha20poly1305_TAG_MESSAGE;
export const TAG_FINAL = sodium.crypto_secretstream_xchacha20poly1305_TAG_FINAL;
const FORMAT = 1;
/** Limits the cost of deriving a key for a file that may come from someone else. */
const MOST_OPERATIONS = 10;
const MOST_MEMORY = 1024 ** 3;

/** What guessing one passphrase costs, with Argon2id. */
export interface PassphraseCost {
  operations: number;
  memory: number;
}

const COST: PassphraseCost = {
  operations: sodium.crypto_pwhash_OPSLIMIT_MODERATE,
  memory: sodium.crypto_pwhash_MEMLIMIT_MODERATE,
};

/** Readable without the passphrase. */
export interface BackupAbout {
  engine: 'sqlite' | 'postgres';
  /** Schema version of the database. */
  schema: number;
  createdAt: string;
  /** The release that created it. */
  release: string;
  hasMasterKey: boolean;
  /** When the installation was created, by which its backups are known. */
  installedAt: string;
}

export interface BackupHeader extends BackupAbout {
  format: number;
  passphrase: PassphraseCost & { salt: string };
}

export interface BackupSecrets {
  /** Of the key that the database was sealed with, whether or not the backup includes it. */
  masterKeyId: string;
  /** In base64, or null if it is stored elsewhere. */
  masterKey: string | null;
}

/** The file cannot be written or used. The message tells the operator why. */
export class BackupProblem extends Error {
  override name = 'BackupProblem';
}

export function newHeader(about: BackupAbout, cost = COST): BackupHeader {
  return {
    format: FORMAT,
    ...about,
    passphrase: {
      salt: randomBytes(sodium.crypto_pwhash_SALTBYTES).toString('base64'),
      ...cost,
    },
  };
}

export function encodeHeader(header: BackupHeader): Buffer {
  const text = Buffer.from(JSON.stringify(header));
  return Buffer.concat([MAGIC, lengthPrefix(text.length), text]);
}

/** Not authenticated yet: what is not possible is damage, unless a newer release could have written it. */
export function parseHeader(text: Buffer): BackupHeader {
  let header: BackupHeader;
  try {
    header = JSON.parse(text.toString()) as BackupHeader;
    if (header.format === FORMAT && isValid(header)) return header;
  } catch {
    throw new BackupProblem(DAMAGED_HEADER);
  }
  const { format, release } = header;
  if (Number.isInteger(format) && format > FORMAT && isNewerThan(String(release), VERSION))
    throw new BackupProblem(
      'this backup was created by a newer release of Doorlist: use that release to restore it',
    );
  throw new BackupProblem(DAMAGED_HEADER);
}

const DAMAGED_HEADER = 'the header of this backup is damaged: nothing was restored';

function isValid({ engine, schema, createdAt, release, hasMasterKey, passphrase }: BackupHeader): boolean {
  const { salt, operations, memory } = passphrase;
  return (
    (engine === 'sqlite' || engine === 'postgres') &&
    Number.isInteger(schema) &&
    schema > 0 &&
    !Number.isNaN(Date.parse(createdAt)) &&
    typeof release === 'string' &&
    typeof hasMasterKey === 'boolean' &&
    Buffer.from(salt, 'base64').length === sodium.crypto_pwhash_SALTBYTES &&
    operations > 0 &&
    operations <= MOST_OPERATIONS &&
    memory >= sodium.crypto_pwhash_MEMLIMIT_MIN &&
    memory <= MOST_MEMORY
  );
}

function isNewerThan(release: string, other: string): boolean {
  const [ours, theirs] = [other, release].map((text) =>
    text.split('.').map((part) => Number.parseInt(part, 10)),
  );
  const at = [0, 1, 2].find((index) => ours?.[index] !== theirs?.[index]);
  return at !== undefined && (theirs?.[at] ?? 0) > (ours?.[at] ?? 0);
}

function lengthPrefix(length: number): Buffer {
  const prefix = Buffer.alloc(4);
  prefix.writeUInt32BE(length);
  return prefix;
}

export async function deriveBackupKey(
  passphrase: string,
  { salt, operations, memory }: BackupHeader['passphrase'],
): Promise<Buffer> {
  const key = Buffer.alloc(KEY_BYTES);
  const words = Buffer.from(passphrase.normalize('NFC'));
  const algorithm = sodium.crypto_pwhash_ALG_ARGON2ID13;
  await sodium.crypto_pwhash_async(key, words, Buffer.from(salt, 'base64'), operations, memory, algorithm);
  return key;
}

export function sealMessages(key: Buffer, fileHeader: Buffer) {
  const state = Buffer.alloc(sodium.crypto_secretstream_xchacha20poly1305_STATEBYTES);
  const streamHeader = Buffer.alloc(STREAM_HEADER_BYTES);
  const associated = plainHash(fileHeader.toString('latin1'));
  sodium.crypto_secretstream_xchacha20poly1305_init_push(state, streamHeader, key);
  return {
    streamHeader,
    seal: (message: Uint8Array, tag = TAG_MESSAGE): Buffer => {
      const sealed = Buffer.allocUnsafe(message.length + MESSAGE_OVERHEAD_BYTES);
      sodium.crypto_secretstream_xchacha20poly1305_push(state, sealed, message, associated, tag);
      return Buffer.concat([lengthPrefix(sealed.length), sealed]);
    },
  };
}

export function openMessages(key: Buffer, fileHeader: Buffer, streamHeader: Buffer) {
  const state = Buffer.alloc(sodium.crypto_secretstream_xchacha20poly1305_STATEBYTES);
  const associated = plainHash(fileHeader.toString('latin1'));
  const tag = Buffer.alloc(1);
  sodium.crypto_secretstream_xchacha20poly1305_init_pull(state, streamHeader, key);
  /** Returns undefined if it does not verify. */
  return (sealed: Buffer): { message: Buffer; final: boolean } | undefined => {
    const message = Buffer.allocUnsafe(sealed.length - MESSAGE_OVERHEAD_BYTES);
    try {
      sodium.crypto_secretstream_xchacha20poly1305_pull(state, message, tag, sealed, associated);
    } catch {
      return undefined;
    }
    return { message, final: tag[0] === TAG_FINAL };
  };
}
