import type { Migration } from './migration.ts';

/** They stay in `queue`, unused: servers of the release before name them in their writes, and must be refused for the right reason. */
export const MOVED_COLUMNS = [
  ...['last_seq', 'pending', 'waiting', 'invited', 'joined', 'removed', 'next_expiry', 'next_reminder'],
  ...['rerank_after', 'listens', 'undone', 'open_invites', 'accepted_invites', 'mailboxes_after'],
];
const MOVED = MOVED_COLUMNS.join(', ');

/** What every change of a queue writes is apart from the directory of queues. */
export const queueStates: Migration = {
  version: 37,
  statements: [
    `create table queue_state (
      queue_id bigint not null primary key,
      last_seq bigint not null default 0,
      pending bigint not null default 0,
      waiting bigint not null default 0,
      invited bigint not null default 0,
      joined bigint not null default 0,
      removed bigint not null default 0,
      next_expiry bigint,
      next_reminder bigint,
      rerank_after bigint,
      listens text not null default '',
      undone bigint not null default 0,
      open_invites bigint not null default 0,
      accepted_invites bigint not null default 0,
      mailboxes_after bigint
    )`,
    `insert into queue_state (queue_id, ${MOVED}) select id, ${MOVED} from queue`,
    'drop index queue_next_expiry',
    'drop index queue_next_reminder',
    'drop index queue_rerank',
    'drop index queue_mailboxes',
    'create index queue_state_expiry on queue_state (next_expiry) where next_expiry is not null',
    'create index queue_state_reminder on queue_state (next_reminder) where next_reminder is not null',
    'create index queue_state_rerank on queue_state (rerank_after) where rerank_after is not null',
    'create index queue_state_mailboxes on queue_state (mailboxes_after) where mailboxes_after is not null',
  ],
};
