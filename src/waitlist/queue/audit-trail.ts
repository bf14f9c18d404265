import type { Trx } from '../../db/database.ts';

/** What operators do to waitlists, and to what belongs to them. */
export const WAITLIST_ACTIONS = [
  'environment.created',
  'instance.updated',
  'waitlist.created',
  'waitlist.updated',
  'waitlist.opened',
  'waitlist.closed',
  'waitlist.deleted',
  'first_steps.dismissed',
  'key.created',
  'key.rotated',
  'key.revoked',
  'gate_key.created',
  'gate_key.updated',
  'gate_key.deleted',
  'mail_event_key.created',
  'mail_event_key.updated',
  'mail_event_key.deleted',
  'entries.read',
  'entries.read_refused',
  'entries.searched',
  'entries.exported',
  'entries.imported',
  'import.undone',
  'import.rows_read',
  'entry.added',
  'entry.updated',
  'entry.merged',
  'entry.moved',
  'entry.confirmed',
  'confirmation.resent',
  'entry.removed',
  'entry.restored',
  'entry.approved',
  'entry.declined',
  'entry.reconsidered',
  'decisions.started',
  'rule.created',
  'rule.deleted',
  'entry.erased',
  'entry.exported',
  'erasure.requested',
  'erasure.confirmed',
  'erasure.refused',
  'segment.created',
  'segment.updated',
  'segment.deleted',
  'invite.created',
  'invite.revoked',
  'invite.resent',
  'invites.started',
  'code.created',
  'code.updated',
  'code.deleted',
  'wave.created',
  'wave.updated',
  'wave.paused',
  'wave.resumed',
  'wave.stopped',
  'job.cancelled',
  'webhook.created',
  'webhook.updated',
  'webhook.deleted',
  'webhook.tested',
  'webhook.secret_shown',
  'webhook.secret_rotated',
  'delivery.replayed',
  'template.updated',
  'template.reset',
  'mail_settings.updated',
  'mail_sending.updated',
  'mail_sending.resumed',
  'mail.resent',
  'mail.tested',
  'suppression.removed',
  'form.updated',
  'form.key_rotated',
  'referral.reviewed',
] as const;

export interface AuditEvent {
  action: (typeof WAITLIST_ACTIONS)[number];
  object: {
    kind:
      | 'instance'
      | 'environment'
      | 'waitlist'
      | 'key'
      | 'gate_key'
      | 'mail_event_key'
      | 'entry'
      | 'invite'
      | 'job'
      | 'webhook'
      | 'delivery'
      | 'template'
      | 'mail'
      | 'form'
      | 'segment'
      | 'wave'
      | 'code';
    /** Public id. For what has none of its own, such as a template, the waitlist's. */
    id: string;
    name?: string;
  };
  /** For settings. Without secrets and without data of people on a waitlist. */
  before?: Record<string, unknown>;
  after?: Record<string, unknown>;
}

/** Called by a verb at the end of its transaction, so that there is never a change without its record. */
export type AuditTrail = (trx: Trx, event: AuditEvent) => Promise<void>;
