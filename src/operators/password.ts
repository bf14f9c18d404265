import sodium from 'sodium-native';
import { unavailable } from '../lib/errors.ts';
import { randomBytes } from '../lib/ids.ts';

/** What guessing one password costs. */
interface PasswordCost {
  operations: number;
  memoryBytes: number;
}

export interface Passwords {
  hash(password: string): Promise<string>;
  /**
   * Takes as long without a stored hash, so that it does not reveal who has an account. Strangers wait in a line of
   * their own: however many there are, everybody else gets through.
   */
  verify(stored: string | null, password: string, isStranger?: boolean): Promise<boolean>;
}

const COST: PasswordCost = {
  operations: sodium.crypto_pwhash_OPSLIMIT_INTERACTIVE,
  memoryBytes: sodium.crypto_pwhash_MEMLIMIT_INTERACTIVE,
};
/** Each takes 64 MiB and one of the few threads that files and name lookups also need. */
const AT_ONCE = 2;
/** In each line: about two seconds of work. Above this, requests are told to retry, which limits memory. */
const MOST_WAITING = 40;

/** Argon2id, off the main thread. */
export function argon2Passwords({ operations, memoryBytes }: PasswordCost = COST): Passwords {
  const inTurn = limitWork();
  let decoy: Promise<string> | undefined;

  const hash = (password: string) =>
    inTurn(false, async () => {
      const hashed = Buffer.alloc(sodium.crypto_pwhash_STRBYTES);
      await sodium.crypto_pwhash_str_async(hashed, Buffer.from(password), operations, memoryBytes);
      return hashed.toString('latin1').replace(/\0+$/, '');
    });

  return {
    hash,
    verify: async (stored, password, isStranger = false) => {
      decoy ??= hash(randomBytes(16).toString('hex')).catch((error) => {
        decoy = undefined;
        throw error;
      });
      const compared = stored ?? (await decoy);
      const hashed = Buffer.alloc(sodium.crypto_pwhash_STRBYTES);
      hashed.write(compared, 'latin1');
      // libsodium does not accept an empty one.
      const words = password === '' ? Buffer.alloc(1) : Buffer.from(password);
      const fits = await inTurn(isStranger, () => sodium.crypto_pwhash_str_verify_async(hashed, words));
      return fits && stored !== null;
    },
  };
}

/** Strangers go last. Nobody else can be many: they have a session, a link, or a browser that has signed in before. */
function limitWork() {
  const lines: Record<'others' | 'strangers', (() => void)[]> = { others: [], strangers: [] };
  let running = 0;
  return async <T>(isStranger: boolean, work: () => Promise<T>): Promise<T> => {
    if (running >= AT_ONCE) {
      const line = isStranger ? lines.strangers : lines.others;
      if (line.length >= MOST_WAITING) throw unavailable('too many sign-ins at once: try again in a moment');
      await new Promise<void>((resolve) => line.push(resolve));
    } else running += 1;
    try {
      return await work();
    } finally {
      const next = lines.others.shift() ?? lines.strangers.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
