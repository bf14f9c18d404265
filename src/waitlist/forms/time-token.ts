import { timingSafeEqual } from 'node:crypto';
import { randomCode } from '../../lib/ids.ts';
import { HOUR_MS } from '../../lib/time.ts';
import type { LiveForm } from './form.ts';
import type { RefusalReason } from './refusals.ts';

/** A person needs longer to read a form and type an address. */
export const TOKEN_MS_MIN = 1_000;
export const TOKEN_MS_MAX = 2 * HOUR_MS;

const TIME_CHARACTERS = 9;
const RANDOM_CHARACTERS = 20;
const SIGNATURE_BYTES = 16;
const SHAPE = /^[0-9a-z]{29}[\w-]{22}$/;

export interface TimeToken {
  text: string;
  at: number;
}

/** Says when a form was shown: time, random characters, signature. Each works once, and only for its form. */
export function newTimeToken(form: LiveForm, now: number): string {
  const text = now.toString(36).padStart(TIME_CHARACTERS, '0') + randomCode(RANDOM_CHARACTERS);
  return text + signature(form, text);
}

function signature({ queue, key }: LiveForm, text: string): string {
  const hash = queue.vault.hash('form', `token ${key} ${text}`);
  return hash.subarray(0, SIGNATURE_BYTES).toString('base64url');
}

/** Returns why it is refused, if it is. */
export function readTimeToken(form: LiveForm, token: string, now: number): TimeToken | RefusalReason {
  const text = token.slice(0, TIME_CHARACTERS + RANDOM_CHARACTERS);
  if (!SHAPE.test(token)) return 'token';
  const given = Buffer.from(token.slice(text.length));
  const expected = Buffer.from(signature(form, text));
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return 'token';
  const at = Number.parseInt(text.slice(0, TIME_CHARACTERS), 36);
  const age = now - at;
  if (age < TOKEN_MS_MIN) return 'too_fast';
  return age > TOKEN_MS_MAX ? 'expired' : { text: token, at };
}
