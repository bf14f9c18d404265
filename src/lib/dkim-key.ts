import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';

/** What emails are signed with (DKIM, RFC 6376), and where receivers find its public half. */
export interface DkimKey {
  /** PEM. */
  privateKey: string;
  domain: string;
  selector: string;
}

/** The TXT record that makes a key known. */
export interface DkimRecord {
  /** `doorlist._domainkey.example.com` */
  name: string;
  value: string;
  /** For a zone file, where a string has at most 255 characters. */
  zoneLine: string;
}

const MODULUS_BITS = 2048;
/** RFC 8301: receivers must not accept a shorter one. */
const MODULUS_BITS_MIN = 1024;
const STRING_CHARACTERS_MAX = 255;

export async function generateDkimKey(): Promise<string> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: MODULUS_BITS });
  return String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
}

/** What is wrong with a private key, or undefined. Nodemailer would send unsigned with a key that it cannot use. */
export function dkimKeyProblem(pem: string): string | undefined {
  const key = readPrivateKey(pem);
  if (!key) return 'must be an RSA private key in PEM, without a passphrase';
  const kind = key.asymmetricKeyType;
  if (kind !== 'rsa')
    return `must be an RSA key, and this one is ${kind === 'ed25519' ? 'Ed25519' : (kind ?? 'of another kind')}. \`dkim-key generate\` creates one`;
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
  return bits < MODULUS_BITS_MIN
    ? `must have at least ${MODULUS_BITS_MIN} bits, and this one has ${bits}. \`dkim-key generate\` creates one with ${MODULUS_BITS}`
    : undefined;
}

function readPrivateKey(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}

/** The public half, as `p=` has it. */
export function publicHalf({ privateKey }: Pick<DkimKey, 'privateKey'>): string {
  return createPublicKey(privateKey).export({ type: 'spki', format: 'der' }).toString('base64');
}

export function dkimRecordName({ domain, selector }: Pick<DkimKey, 'domain' | 'selector'>): string {
  return `${selector}._domainkey.${domain}`;
}

export function dkimRecord(key: DkimKey): DkimRecord {
  const name = dkimRecordName(key);
  const value = `v=DKIM1; k=rsa; p=${publicHalf(key)}`;
  const strings: string[] = [];
  for (let at = 0; at < value.length; at += STRING_CHARACTERS_MAX)
    strings.push(`"${value.slice(at, at + STRING_CHARACTERS_MAX)}"`);
  return { name, value, zoneLine: `${name}. IN TXT ( ${strings.join(' ')} )` };
}

/** A name in the DNS with at least two parts, such as `example.com`. */
export function isDomain(text: string): boolean {
  return (
    text.length <= 253 && /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+$)[a-z0-9-]{2,63}$/i.test(text)
  );
}

/** One or more parts of a name, such as `doorlist` or `2026.mail`. */
export function isSelector(text: string): boolean {
  return text.length <= 63 && /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9-]+)*$/i.test(text);
}
