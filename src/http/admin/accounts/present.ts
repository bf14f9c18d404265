import { isoTime, isoTimeOrNull } from '../../../lib/time.ts';
import { linkUrl, type OneTimeLink } from '../../../operators/links.ts';
import type { Operator } from '../../../operators/operator.ts';
import type { AuditRecord } from '../../../operators/read-audit.ts';
import type { Session } from '../../../operators/sessions.ts';
import type { AdminToken } from '../../../operators/tokens.ts';
import type { AdminParts } from '../core/parts.ts';

export function presentOperator({ id, email, name, role, state, twoFactor, createdAt }: Operator) {
  return { id, email, name, role, state, twoFactor, createdAt: isoTime(createdAt) };
}

export function presentSession({ id, createdAt, seenAt, expiresAt, client }: Session, currentId: string) {
  return {
    id,
    current: id === currentId,
    address: client.address,
    userAgent: client.agent,
    createdAt: isoTime(createdAt),
    lastSeenAt: isoTime(seenAt),
    expiresAt: isoTime(expiresAt),
  };
}

export function presentToken({
  id,
  name,
  role,
  hint,
  createdAt,
  expiresAt,
  revokedAt,
  lastUsedAt,
  createdBy,
}: AdminToken) {
  return {
    id,
    name,
    role,
    hint,
    createdAt: isoTime(createdAt),
    expiresAt: isoTimeOrNull(expiresAt),
    revokedAt: isoTimeOrNull(revokedAt),
    lastUsedAt: isoTimeOrNull(lastUsedAt),
    createdBy,
  };
}

/** Each link is also written to its operator. Without a mail server, that email is kept. */
export function presentLink(
  { kind, token, expiresAt }: OneTimeLink,
  { publicUrl, emails }: Pick<AdminParts, 'publicUrl' | 'emails'>,
) {
  return { kind, url: linkUrl(publicUrl, token), expiresAt: isoTime(expiresAt), emailed: emails.smtp };
}

export function presentAudit({ seq, at, action, actor, object, details, isDamaged }: AuditRecord) {
  const { actorName, objectName, address, before, after } = details;
  return {
    number: seq,
    at: isoTime(at),
    action,
    actor: { ...reference(actor), name: actorName },
    object: object === null ? null : { ...reference(object), name: objectName },
    address,
    before,
    after,
    damaged: isDamaged,
  };
}

/** Splits `operator:opr_…`, which is stored in one column. */
function reference(text: string): { kind: string; id: string | null } {
  const [kind = '', id = null] = text.split(':');
  return { kind, id };
}
