import { randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 28 characters of base 62 carry 166 bits. */
const RANDOM_CHARACTERS = 28;
const CHECKSUM_CHARACTERS = 6;
const SHAPE = /^dl_(live|test)_[0-9A-Za-z]{34}$/;

/**
 * `dl_live_` or `dl_test_`, random characters, and a checksum: secret scanners recognize it, and typos are
 * caught.
 */
export function newServerKey(environment: string): string {
  return newSecret(environment === 'production' ? 'dl_live_' : 'dl_test_');
}

export function isServerKey(text: string): boolean {
  return SHAPE.test(text) && hasChecksum(text);
}

export function newSecret(prefix: string, name = ''): string {
  let body = prefix + name;
  for (let i = name.length; i < RANDOM_CHARACTERS; i += 1) body += BASE62[randomInt(62)];
  return body + checksum(body);
}

/** Whether the checksum matches the random part. */
export function hasChecksum(text: string): boolean {
  return checksum(text.slice(0, -CHECKSUM_CHARACTERS)) === text.slice(-CHECKSUM_CHARACTERS);
}

function checksum(body: string): string {
  let rest = crc32(body);
  let text = '';
  for (let i = 0; i < CHECKSUM_CHARACTERS; i += 1) {
    text = BASE62[rest % 62] + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}
