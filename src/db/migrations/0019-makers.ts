import type { Migration } from './migration.ts';

/** Who made a link or a token, how far a link reaches, and a seal on the end of the audit trail. */
export const makers: Migration = {
  version: 19,
  statements: [
    'alter table admin_token add column created_by text',
    'alter table operator_link add column created_by text',
    'alter table operator_link add column max_role text',
    // Their makers are unknown, so a link from before somebody's role changed must not work any more.
    `delete from operator_link where created_at <=
      (select max(at) from audit where action = 'operator.role_changed')`,
    `update operator_link set max_role =
      (select operator.role from operator where operator.id = operator_link.operator_id)`,
    'alter table audit_head add column seal bytes',
  ],
};
