import type { Migration } from './migration.ts';

/** An entry's place is apart from its joining sequence: where it joined among those who count. */
export const places: Migration = {
  version: 38,
  statements: [
    'alter table entry add column closed bigint not null default 0',
    'alter table entry add column opened bigint not null default 0',
    'create index entry_moved on entry (queue_id, seq) where moved <> 0',
    'alter table queue_state add column closed bigint not null default 0',
    'alter table queue_state add column opened bigint not null default 0',
    'alter table queue_state add column close_after bigint',
    'create index queue_state_close on queue_state (close_after) where close_after is not null',
    // They were moved to the end: whoever joins later would pass them.
    `update queue_state set rerank_after = 0 where exists (select 1 from entry
      where entry.queue_id = queue_state.queue_id and entry.moved <> 0 and entry.moved > 0
        and entry.rank > queue_state.last_seq)`,
  ],
};
