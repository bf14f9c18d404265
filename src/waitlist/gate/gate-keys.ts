import { invalid } from '../../lib/errors.ts';
import { hookKeys } from '../keys/hook-keys.ts';

const SECRET_CHARACTERS_MAX = 200;

/** What a product's sign-up asks with whether people may sign up. */
export const gateKeys = hookKeys({
  table: 'gate_key',
  purpose: 'gate',
  start: 'dlg_',
  idPrefix: 'gat',
  called: 'gate key',
  own: [],
  checkSecret,
});

/** Supabase shows `v1,whsec_…`, of which the first part is the scheme. */
function checkSecret(text: string): string {
  const secret = text.replace(/^v1,(?=whsec_)/, '');
  if (!/^[!-~]+$/.test(secret) || secret.length > SECRET_CHARACTERS_MAX)
    throw invalid('secret: must be the secret that the provider shows');
  if (secret.startsWith('whsec_') && !/^whsec_[A-Za-z0-9+/]{16,}={0,2}$/.test(secret))
    throw invalid('secret: is incomplete; copy all of it, from v1,whsec_ to the end');
  return secret;
}
