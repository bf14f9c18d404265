import type { Migration } from './migration.ts';

const SLOT = 900_000;
const slot = (time: string) => `${time} - ${time} % ${SLOT}`;
const DEPTH_MAX = 10;

/** Limits between the buckets of a duration: one second, and each a factor of √2 more. */
const LIMITS = Array.from({ length: 53 }, (_, step) => Math.round(1000 * 2 ** (step / 2)));
const DURATION = 'accepted_at - created_at';
const BUCKET = `case ${LIMITS.map((limit, bucket) => `when ${DURATION} < ${limit} then ${bucket}`).join(' ')}
  else ${LIMITS.length} end`;

const COUNTED = ['signups', 'referred', 'confirmed', 'invited', 'accepted', 'expired', 'revoked', 'removed'];
/** What each number counts: the table, the time, and which of its rows. */
const SOURCES: Record<string, [table: string, at: string, where: string]> = {
  signups: ['entry', 'created_at', 'true'],
  referred: ['entry', 'created_at', 'referrer_seq is not null'],
  confirmed: ['entry', 'confirmed_at', 'confirmed_at is not null'],
  invited: ['invite', 'created_at', 'true'],
  accepted: ['invite', 'accepted_at', 'accepted_at is not null'],
  expired: ['invite', 'expired_at', 'expired_at is not null'],
  revoked: ['invite', 'revoked_at', 'revoked_at is not null and expired_at is null'],
  removed: ['entry', 'removed_at', 'removed_at is not null'],
};
const happened = (what: string) => {
  const [table, at, where] = SOURCES[what] ?? [];
  const columns = COUNTED.map((name) => `${name === what ? 1 : 0} as ${name}`).join(', ');
  return `select queue_id, ${slot(at ?? '')} as slot, ${columns} from ${table} where ${where} and queue_id in (${UNCOUNTED})`;
};

const UNCOUNTED = 'select queue_id from uncounted_queue';
const sumOf = (what: string) =>
  `(select coalesce(sum(${what}), 0) from queue_stat as s where s.queue_id = q.id)`;
const countOf = (table: string, where: string) =>
  `(select count(*) from ${table} as c where c.queue_id = q.id and ${where})`;

/** From the people of one depth to those they referred. The cross join keeps SQLite from trying each pair. */
const DEEPER = Array.from(
  { length: DEPTH_MAX - 1 },
  (_, step) => `insert into entry_depth (queue_id, seq, depth)
    select e.queue_id, e.seq, ${step + 2} from entry_depth as c cross join entry as e
    where c.depth = ${step + 1} and e.queue_id = c.queue_id and e.referrer_seq = c.seq`,
);

/**
 * From here on, writes of earlier releases fail (see `closeToEarlier`). Until now, a server that did not know
 * the statistics yet could add entries beside one that did. Queues where that happened are counted again, and
 * those that the statistics have not counted at all.
 */
export const schemaGate: Migration = {
  version: 23,
  statements: [
    'create table uncounted_queue (queue_id bigint primary key)',
    `insert into uncounted_queue (queue_id) select q.id from queue as q
      where ${sumOf('signups')} <> q.pending + q.waiting + q.invited + q.joined + q.removed
        or ${sumOf('removed')} <> ${countOf('entry', 'c.removed_at is not null')}
        or ${sumOf('invited')} <> ${countOf('invite', 'true')}
        or ${sumOf('accepted')} <> ${countOf('invite', 'c.accepted_at is not null')}`,

    `create table entry_depth (
      queue_id bigint not null,
      seq bigint not null,
      depth bigint not null,
      primary key (queue_id, seq)
    ) clustered`,
    `insert into entry_depth (queue_id, seq, depth) select queue_id, seq, 1 from entry
      where queue_id in (${UNCOUNTED}) and referrer_seq is not null and not exists (select 1 from entry as r
        where r.queue_id = entry.queue_id and r.seq = entry.referrer_seq and r.referrer_seq is not null)`,
    ...DEEPER,
    `update entry set depth = (select c.depth from entry_depth as c
        where c.queue_id = entry.queue_id and c.seq = entry.seq)
      where exists (select 1 from entry_depth as c
        where c.queue_id = entry.queue_id and c.seq = entry.seq and c.depth <> entry.depth)`,
    'drop table entry_depth',
    `update entry set depth = ${DEPTH_MAX}
      where depth = 0 and referrer_seq is not null and queue_id in (${UNCOUNTED})`,

    `delete from queue_stat where queue_id in (${UNCOUNTED})`,
    `insert into queue_stat (queue_id, slot, ${COUNTED.join(', ')})
      select queue_id, slot, ${COUNTED.map((name) => `sum(${name})`).join(', ')}
      from (${COUNTED.map(happened).join(' union all ')}) as happened group by queue_id, slot`,

    `delete from queue_histogram where queue_id in (${UNCOUNTED})`,
    `insert into queue_histogram (queue_id, kind, slot, bucket, count)
      select queue_id, 'depth', ${slot('created_at')}, depth, count(*) from entry
      where depth > 0 and queue_id in (${UNCOUNTED}) group by queue_id, ${slot('created_at')}, depth`,
    `insert into queue_histogram (queue_id, kind, slot, bucket, count)
      select queue_id, 'accept_time', slot, bucket, count(*)
      from (select queue_id, ${slot('accepted_at')} as slot, ${BUCKET} as bucket from invite
        where accepted_at is not null and queue_id in (${UNCOUNTED})) as accepts
      group by queue_id, slot, bucket`,
    'drop table uncounted_queue',
  ],
};
