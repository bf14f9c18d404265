import sodium from 'sodium-native';

/** Crockford's base 32: no i, l, o or u to misread or to spell words with. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const ID_BYTES = 16;
const ID_CHARACTERS = 26;

/** 48 bits of time, then 80 random bits: new ids sort last, so that indexes grow at the end. */
export function newId(now: number): Buffer {
  const id = randomBytes(ID_BYTES);
  id.writeUIntBE(now, 0, 6);
  return id;
}

/** Ends with the queue that it belongs to, so that it leads there. */
export function newIdOf(queueId: number, now: number): Buffer {
  const id = newId(now);
  id.writeUInt32BE(queueId, ID_BYTES - 4);
  return id;
}

/** Of an id by `newIdOf`. */
export function queueIdIn(id: Buffer): number {
  return id.readUInt32BE(ID_BYTES - 4);
}

/** Ids of the same moment, sorted by number. */
export function newNumberedId(now: number, number: number): Buffer {
  const id = newId(now);
  id.writeUIntBE(number, 6, 3);
  return id;
}

/** Every id created before that time is smaller. */
export function oldestId(time: number): Buffer {
  const id = Buffer.alloc(ID_BYTES);
  id.writeUIntBE(Math.max(0, time), 0, 6);
  return id;
}

type IdPrefix =
  | 'cod'
  | 'ent'
  | 'ers'
  | 'evt'
  | 'gat'
  | 'inv'
  | 'job'
  | 'key'
  | 'mek'
  | 'opr'
  | 'pky'
  | 'rev'
  | 'rul'
  | 'seg'
  | 'ses'
  | 'tok'
  | 'wav'
  | 'whe';

/** An id as people read and type it. */
export type Id<Prefix extends IdPrefix> = `${Prefix}_${string}`;

export function formatId<Prefix extends IdPrefix>(prefix: Prefix, id: Uint8Array): Id<Prefix> {
  return `${prefix}_${encodeBytes(id)}`;
}

/** 5 bits per character. */
export function encodeBytes(bytes: Uint8Array): string {
  let bits = 0;
  let value = 0;
  let text = '';
  for (const byte of bytes) {
    value = (value << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += ALPHABET[(value >> bits) & 31];
    }
    value &= (1 << bits) - 1;
  }
  if (bits > 0) text += ALPHABET[(value << (5 - bits)) & 31];
  return text;
}

/** Returns undefined if it is not an id of that kind. */
export function parseId(prefix: IdPrefix, text: string): Buffer | undefined {
  const body = text.slice(prefix.length + 1);
  if (!text.startsWith(`${prefix}_`) || body.length !== ID_CHARACTERS) return undefined;
  const id = Buffer.alloc(ID_BYTES);
  let bits = 0;
  let value = 0;
  let at = 0;
  for (const character of body) {
    const digit = ALPHABET.indexOf(character);
    if (digit < 0) return undefined;
    value = (value << 5) | digit;
    bits += 5;
    if (bits >= 8 && at < ID_BYTES) {
      bits -= 8;
      id[at++] = (value >> bits) & 255;
      value &= (1 << bits) - 1;
    }
  }
  return formatId(prefix, id) === text ? id : undefined;
}

/** 5 random bits per character. */
export function randomCode(characters: number): string {
  let code = '';
  for (const byte of randomBytes(characters)) code += ALPHABET[byte & 31];
  return code;
}

/** Encodes a whole number below 2^53, padded to a width. */
export function encodeBase32(value: number, characters: number): string {
  let text = '';
  for (let rest = value; text.length < characters; rest = Math.floor(rest / 32))
    text = ALPHABET[rest % 32] + text;
  return text;
}

export function decodeBase32(text: string): number | undefined {
  let value = 0;
  for (const character of text) {
    const digit = ALPHABET.indexOf(character);
    if (digit < 0) return undefined;
    value = value * 32 + digit;
  }
  return value;
}

const POOL_BYTES = 4096;
const pool = Buffer.allocUnsafeSlow(POOL_BYTES);
let poolUsed = POOL_BYTES;

/** From a pool: asking the kernel for every few bytes costs more than sealing with them. */
export function randomBytes(length: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(length);
  if (length > POOL_BYTES) {
    sodium.randombytes_buf(bytes);
    return bytes;
  }
  if (poolUsed + length > POOL_BYTES) {
    sodium.randombytes_buf(pool);
    poolUsed = 0;
  }
  pool.copy(bytes, 0, poolUsed, poolUsed + length);
  pool.fill(0, poolUsed, poolUsed + length); // Used once, and not left in memory.
  poolUsed += length;
  return bytes;
}

/** Bytes as the key of a map. */
export function bytesKey(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1');
}

export function bytesOfKey(key: string): Buffer {
  return Buffer.from(key, 'latin1');
}
