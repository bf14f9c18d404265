import { isIP } from 'node:net';
import { DoorlistError } from '../lib/errors.ts';

/** Where a passkey works. */
export interface Site {
  /** The relying party id: the host name. */
  id: string;
  origin: string;
}

/** Browsers offer passkeys only on a name, and only over HTTPS or on localhost. */
export function siteOf(publicUrl: string): Site {
  const { protocol, hostname, origin } = new URL(publicUrl);
  const isName = isIP(hostname.replace(/^\[|\]$/g, '')) === 0;
  if (isName && (protocol === 'https:' || hostname === 'localhost')) return { id: hostname, origin };
  throw new DoorlistError(
    'conflict',
    'passkeys require DOORLIST_PUBLIC_URL to be https:// with a host name, or http://localhost',
  );
}
