import { sharedNow } from '../db/shared-clock.ts';
import { DAY_MS } from '../lib/time.ts';
import type { Context } from '../waitlist/queue/context.ts';
import { changeOne } from './change-endpoints.ts';
import { findEndpoint, requireSettings, sealEndpoint } from './endpoints.ts';
import { liveSecrets, rotateSecrets, type Secret } from './signing.ts';

export const DEFAULT_OVERLAP_MS = DAY_MS;

export interface RotatedSecret {
  id: string;
  secret: string;
  previousEndsAt: number | null;
}

export async function rotateEndpointSecret(
  context: Context,
  endpointId: string,
  overlapMs: number,
): Promise<RotatedSecret> {
  const { queue, row } = await findEndpoint(context, endpointId);
  let secrets: Secret[] = [];
  await changeOne(context, queue, row.id, 'webhook.secret_rotated', (found, now) => {
    const sealed = requireSettings(queue, found);
    secrets = rotateSecrets(sealed.secrets, now, overlapMs);
    return { sealed: sealEndpoint(queue, row.id, { ...sealed, secrets }) };
  });
  const [current, previous] = secrets as [Secret, Secret?];
  return { id: endpointId, secret: current.text, previousEndsAt: previous?.endsAt ?? null };
}

export interface RevealedSecret {
  id: string;
  secret: string;
  /** Still valid during a rotation. */
  previous: { secret: string; endsAt: number | null }[];
}

export async function revealSecret(context: Context, endpointId: string): Promise<RevealedSecret> {
  const { queue, row } = await findEndpoint(context, endpointId);
  const sealed = requireSettings(queue, row);
  const { audit } = context;
  const object = { kind: 'webhook', id: endpointId } as const;
  if (audit) await context.db.transaction((trx) => audit(trx, { action: 'webhook.secret_shown', object }));
  const [current, ...previous] = liveSecrets(sealed.secrets, await sharedNow(context)) as [
    Secret,
    ...Secret[],
  ];
  return {
    id: endpointId,
    secret: current.text,
    previous: previous.map(({ text, endsAt }) => ({ secret: text, endsAt })),
  };
}
