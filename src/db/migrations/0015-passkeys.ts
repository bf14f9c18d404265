import type { Migration } from './migration.ts';

/** Passkeys of operators, and the challenges that were answered, so that none is answered twice. */
export const passkeys: Migration = {
  version: 15,
  statements: [
    `create table passkey (
      id bytes primary key,
      operator_id bytes not null references operator (id),
      credential_hash bytes not null unique,
      sealed bytes not null,
      counter bigint not null,
      created_at bigint not null,
      last_used_at bigint
    )`,
    'create index passkey_operator on passkey (operator_id)',

    `create table used_challenge (
      challenge_hash bytes primary key,
      expires_at bigint not null
    )`,
  ],
};
