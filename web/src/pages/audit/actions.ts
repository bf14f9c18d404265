import type { Schemas } from '../../api/client.ts';

type AuditRecord = Schemas['AuditRecord'];
export type Action = AuditRecord['action'];

const NAMES: Record<Action, string> = {
  'setup.completed': 'Set up the installation',
  'session.created': 'Signed in',
  'session.ended': 'Signed out',
  'access.ended': 'Ended all sessions and tokens',
  'operator.created': 'Invited an operator',
  'operator.updated': 'Changed their name or email',
  'operator.role_changed': 'Changed a role',
  'operator.removed': 'Removed an operator',
  'operator.link_created': 'Created a one-time link',
  'password.set': 'Set a password',
  'password.changed': 'Changed the password',
  'password.reset_requested': 'Requested a password reset',
  'two_factor.enabled': 'Turned two-factor on',
  'two_factor.disabled': 'Turned two-factor off',
  'recovery_code.used': 'Used a recovery code',
  'recovery_codes.replaced': 'Replaced recovery codes',
  'passkey.added': 'Added a passkey',
  'passkey.renamed': 'Renamed a passkey',
  'passkey.removed': 'Removed a passkey',
  'token.created': 'Created a token',
  'token.changed': 'Changed a token',
  'token.revoked': 'Revoked a token',
  'audit.trimmed': 'Deleted old audit records',
  'environment.created': 'Created an environment',
  'instance.updated': 'Changed the installation',
  'waitlist.created': 'Created a waitlist',
  'waitlist.updated': 'Changed a waitlist',
  'waitlist.opened': 'Opened a waitlist',
  'waitlist.closed': 'Closed a waitlist',
  'waitlist.deleted': 'Deleted a waitlist',
  'first_steps.dismissed': 'Dismissed the first steps',
  'key.created': 'Created a key',
  'key.rotated': 'Rotated a key',
  'key.revoked': 'Revoked a key',
  'gate_key.created': 'Created a gate key',
  'gate_key.updated': 'Updated a gate key',
  'gate_key.deleted': 'Deleted a gate key',
  'mail_event_key.created': 'Created a mail event key',
  'mail_event_key.updated': 'Updated a mail event key',
  'mail_event_key.deleted': 'Deleted a mail event key',
  'entries.read': 'Viewed people',
  'entries.read_refused': 'Was refused a question about people',
  'entries.searched': 'Searched everyone’s data',
  'entries.exported': 'Exported people',
  'entries.imported': 'Imported people',
  'import.undone': 'Undid an import',
  'import.rows_read': 'Downloaded bad rows',
  'entry.added': 'Added a person',
  'entry.updated': 'Changed a person',
  'entry.merged': 'Merged two entries',
  'entry.moved': 'Moved a person',
  'entry.confirmed': 'Confirmed a person',
  'entry.removed': 'Removed a person',
  'entry.restored': 'Put a person back',
  'entry.approved': 'Approved a person',
  'entry.declined': 'Declined a person',
  'entry.reconsidered': 'Took a decline back',
  'decisions.started': 'Started deciding about people',
  'rule.created': 'Made a rule',
  'rule.deleted': 'Deleted a rule',
  'entry.erased': 'Erased a person',
  'entry.exported': 'Exported a person',
  'erasure.requested': 'Asked to erase a person',
  'erasure.confirmed': 'Confirmed an erasure',
  'erasure.refused': 'Refused an erasure',
  'segment.created': 'Saved a segment',
  'segment.updated': 'Changed a segment',
  'segment.deleted': 'Deleted a segment',
  'invite.created': 'Invited a person',
  'invite.revoked': 'Revoked an invite',
  'invite.resent': 'Sent an invite again',
  'confirmation.resent': 'Sent a confirmation again',
  'invites.started': 'Started sending invites',
  'code.created': 'Created a code',
  'code.updated': 'Changed a code',
  'code.deleted': 'Deleted a code',
  'wave.created': 'Created a wave',
  'wave.updated': 'Changed a wave',
  'wave.paused': 'Paused a wave',
  'wave.resumed': 'Resumed a wave',
  'wave.stopped': 'Stopped a wave',
  'job.cancelled': 'Cancelled a job',
  'webhook.created': 'Created a webhook',
  'webhook.updated': 'Changed a webhook',
  'webhook.deleted': 'Deleted a webhook',
  'webhook.tested': 'Tested a webhook',
  'webhook.secret_shown': 'Viewed a webhook secret',
  'webhook.secret_rotated': 'Rotated a webhook secret',
  'delivery.replayed': 'Replayed a delivery',
  'template.updated': 'Changed a template',
  'template.reset': 'Reset a template',
  'mail_settings.updated': 'Changed email settings',
  'mail_sending.updated': 'Changed sending limits',
  'mail_sending.resumed': 'Resumed sending',
  'mail.resent': 'Sent an email again',
  'mail.tested': 'Sent a test email',
  'suppression.removed': 'Removed a suppression',
  'form.updated': 'Changed a form',
  'form.key_rotated': 'Rotated a form key',
  'referral.reviewed': 'Reviewed referrals',
};

/** Of records that say `dryRun`: nothing was written. */
const DRY_RUN_NAMES: Partial<typeof NAMES> = { 'entries.imported': 'Checked an import file' };

export function actionName({ action, after }: Pick<AuditRecord, 'action' | 'after'>): string {
  const { [action]: name = action } = { ...NAMES, ...(isDryRun(after) ? DRY_RUN_NAMES : {}) };
  return name;
}

const isDryRun = (after: unknown) =>
  typeof after === 'object' && after !== null && 'dryRun' in after && after.dryRun === true;

/** A filter finds both. */
const FILTER_NAMES = { ...NAMES, 'entries.imported': 'Imported people or checked a file' };

export const ACTION_OPTIONS = Object.entries(FILTER_NAMES)
  .map(([value, label]) => ({ value, label }))
  .toSorted((a, b) => a.label.localeCompare(b.label));
