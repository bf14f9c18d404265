import type { Migration } from './migrations.ts';

export const emailedSuppressions: Migration = {
  version: 41,
  name: 'emailedSuppressions',
  statements: ['alter table mail_suppression add column emailed bigint not null default 1'],
};
