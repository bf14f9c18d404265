import { invalid } from '../../lib/errors.ts';
import { hookKeys } from '../keys/hook-keys.ts';

const SECRET_CHARACTERS_MAX = 300;

/** What a mail provider tells of bounces and complaints with. */
export const mailEventKeys = hookKeys({
  table: 'mail_event_key',
  purpose: 'mail-event',
  start: 'dle_',
  idPrefix: 'mek',
  called: 'mail event key',
  checkSecret,
});

/** A signing secret, or the public key of SendGrid. */
function checkSecret(secret: string): string {
  if (!/^[!-~]+$/.test(secret) || secret.length > SECRET_CHARACTERS_MAX)
    throw invalid('secret: must be the signing secret or the verification key that the provider shows');
  if (secret.startsWith('whsec_') && !/^whsec_[A-Za-z0-9+/]{16,}={0,2}$/.test(secret))
    throw invalid('secret: is incomplete; copy all of it, from whsec_ to the end');
  return secret;
}
