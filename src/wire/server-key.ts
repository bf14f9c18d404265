import { formatId } from '../lib/ids.ts';
import { isoTime, isoTimeOrNull } from '../lib/time.ts';
import type { KeySummary } from '../waitlist/keys/list-keys.ts';
import type { CreatedKey } from '../waitlist/keys/server-keys.ts';

export function presentKey(key: KeySummary) {
  return {
    id: formatId('key', key.id),
    hint: key.hint,
    name: key.name,
    waitlistId: key.waitlistId,
    environment: key.environment,
    canRead: key.canRead,
    createdAt: isoTime(key.createdAt),
    expiresAt: isoTimeOrNull(key.expiresAt),
    revokedAt: isoTimeOrNull(key.revokedAt),
    lastUsedAt: isoTimeOrNull(key.lastUsedAt),
  };
}

/** The only time that the key is shown. */
export function presentCreatedKey(created: CreatedKey) {
  const { id, ...rest } = presentKey(created);
  return { id, key: created.key, ...rest };
}
