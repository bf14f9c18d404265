import type { Migration } from './migration.ts';

/** How the server writes mails, so that the command line shows them with the same links and sender. */
export const sending: Migration = {
  version: 7,
  statements: [
    'alter table instance add column public_url text',
    'alter table instance add column mail_from text',
  ],
};
