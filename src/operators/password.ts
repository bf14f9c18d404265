import sodium from 'sodium-native';
import { unavailable } from '../errors.ts';
import { randomBytes } from '../random-bytes.ts';

/** Each takes 64 MiB and one of the four threads that files and name lookups also need. */
const AT_ONCE = 2;
/** About two seconds of work. Above this, requests are told to retry, which limits memory. */
const MOST_WAITING = 40;

const waiting: (() => void)[] = [];
let running = 0;

/** Argon2id, off the main thread. */
export function hashPassword(password: string): Promise<string> {
  return inTurn(async () => {
    const hash = Buffer.alloc(sodium.crypto_pwhash_STRBYTES);
    await sodium.crypto_pwhash_str_async(
      hash,
      Buffer.from(password),
      sodium.crypto_pwhash_OPSLIMIT_INTERACTIVE,
      sodium.crypto_pwhash_MEMLIMIT_INTERACTIVE,
    );
    return hash.toString('latin1').replace(/\0+$/, '');
  });
}

let decoy: Promise<string> | undefined;

/** Takes as long without a stored hash, so that it does not reveal who has an account. */
export async function verifyPassword(stored: string | null, password: string): Promise<boolean> {
  decoy ??= hashPassword(randomBytes(16).toString('hex')).catch((error) => {
    decoy = undefined;
    throw error;
  });
  const compared = stored ?? (await decoy);
  const hash = Buffer.alloc(sodium.crypto_pwhash_STRBYTES);
  hash.write(compared, 'latin1');
  // libsodium does not accept an empty one.
  const words = password === '' ? Buffer.alloc(1) : Buffer.from(password);
  const fits = await inTurn(() => sodium.crypto_pwhash_str_verify_async(hash, words));
  return fits && stored !== null;
}

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= AT_ONCE) {
    if (waiting.length >= MOST_WAITING) throw unavailable('too many sign-ins at once: try again in a moment');
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else running += 1;
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
}
