import { invalid } from '../lib/errors.ts';

const PASSWORD_MIN_CHARACTERS = 12;
const PASSWORD_MAX_CHARACTERS = 512;

const SERVICE = 'doorlist';
/** Shorter parts of an email are in too many words. */
const PERSONAL_MIN_CHARACTERS = 4;

let known: Promise<Set<string>> | undefined;

/**
 * Long, and not a common one. No rules about digits or symbols, because they do not make passwords better.
 */
export async function requireGoodPassword(
  password: string,
  email: string,
  field = 'password',
): Promise<void> {
  const length = [...password].length;
  if (length < PASSWORD_MIN_CHARACTERS || length > PASSWORD_MAX_CHARACTERS)
    throw invalid(`${field}: must be ${PASSWORD_MIN_CHARACTERS} to ${PASSWORD_MAX_CHARACTERS} characters`);
  const lower = password.toLowerCase();
  known ??= loadCommon();
  if (isCommon(lower, await known)) throw invalid(`${field}: is too common`);
  if ([...withoutPersonal(lower, email.toLowerCase())].length < PASSWORD_MIN_CHARACTERS / 2)
    throw invalid(`${field}: is too close to your email or the name of this service`);
}

/** What is left without the email, its parts and the name of this service, wherever and however often they occur. */
function withoutPersonal(password: string, email: string): string {
  const [local = '', domain = ''] = email.split('@');
  const words = [email, local, domain, ...email.split(/[^\p{L}\p{N}]+/u), SERVICE]
    .filter((word) => word.length >= PERSONAL_MIN_CHARACTERS)
    .sort((a, b) => b.length - a.length);
  return words.reduce((left, word) => left.replaceAll(word, ''), password);
}

/** Also with digits or symbols around it, repeated, or with very few different characters. */
function isCommon(password: string, common: Set<string>): boolean {
  const word = password.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '');
  const half = password.slice(0, password.length / 2);
  return (
    common.has(password) ||
    common.has(word) ||
    (half + half === password && common.has(half)) ||
    new Set(password).size < 5
  );
}

/** 2 MB that are only needed to set a password. */
async function loadCommon(): Promise<Set<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  return new Set(dictionary['passwords-common'] as string[]);
}
