import type { Migration } from './migration.ts';

/** Where the audit trail begins once old records were deleted, and which release made the schema. */
export const boundedAudit: Migration = {
  version: 29,
  statements: [
    'alter table audit_head add column start_seq bigint not null default 0',
    'alter table audit_head add column start_hash bytes',
    'alter table audit_head add column start_seal bytes',
    'alter table schema_version add column release text',
  ],
};
