import type { Migration } from './migration.ts';

/** Keys with which the sign-up of a product asks whether a person was invited. */
export const gateKeys: Migration = {
  version: 30,
  statements: [
    `create table gate_key (
      queue_id bigint not null references queue (id),
      id bytes not null,
      hash bytes not null,
      hint text not null,
      name text not null,
      secret bytes,
      created_at bigint not null,
      last_used_at bigint,
      primary key (queue_id, id)
    ) clustered`,
    'create unique index gate_key_hash on gate_key (queue_id, hash)',
  ],
};
