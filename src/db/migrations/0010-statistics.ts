import type { Migration } from './migration.ts';

const SLOT = 900_000;
const slot = (time: string) => `${time} - ${time} % ${SLOT}`;

/** Limits between the buckets of a duration: one second, and each a factor of √2 more. */
const LIMITS = Array.from({ length: 53 }, (_, step) => Math.round(1000 * 2 ** (step / 2)));
const DURATION = 'accepted_at - created_at';
const BUCKET = `case ${LIMITS.map((limit, bucket) => `when ${DURATION} < ${limit} then ${bucket}`).join(' ')}
  else ${LIMITS.length} end`;

const DEEPER = Array.from(
  { length: 9 },
  (_, step) => `update entry set depth = ${step + 2}
    where depth = ${step + 1} and exists (select 1 from entry as r
      where r.queue_id = entry.queue_id and r.seq = entry.referrer_seq and r.depth >= ${step + 1})`,
);

/** Counters for charts. Those of existing entries and invites are counted here. */
export const statistics: Migration = {
  version: 10,
  statements: [
    `alter table waitlist add column metadata_keys text not null default '[]'`,
    'alter table entry add column confirmed_at bigint',
    'alter table entry add column depth bigint not null default 0',
    'update entry set depth = 1 where referrer_seq is not null',
    ...DEEPER,

    `create table queue_stat (
      queue_id bigint not null,
      slot bigint not null,
      signups bigint not null,
      referred bigint not null,
      confirmed bigint not null,
      invited bigint not null,
      accepted bigint not null,
      expired bigint not null,
      revoked bigint not null,
      removed bigint not null,
      primary key (queue_id, slot)
    ) clustered`,
    `insert into queue_stat
        (queue_id, slot, signups, referred, confirmed, invited, accepted, expired, revoked, removed)
      select queue_id, slot, sum(signups), sum(referred), 0, sum(invited), sum(accepted), sum(expired),
        sum(revoked), sum(removed)
      from (
        select queue_id, ${slot('created_at')} as slot, 1 as signups,
          case when referrer_seq is null then 0 else 1 end as referred, 0 as invited, 0 as accepted,
          0 as expired, 0 as revoked, 0 as removed from entry
        union all select queue_id, ${slot('removed_at')}, 0, 0, 0, 0, 0, 0, 1 from entry
          where removed_at is not null
        union all select queue_id, ${slot('created_at')}, 0, 0, 1, 0, 0, 0, 0 from invite
        union all select queue_id, ${slot('accepted_at')}, 0, 0, 0, 1, 0, 0, 0 from invite
          where accepted_at is not null
        union all select queue_id, ${slot('expired_at')}, 0, 0, 0, 0, 1, 0, 0 from invite
          where expired_at is not null
        union all select queue_id, ${slot('revoked_at')}, 0, 0, 0, 0, 0, 1, 0 from invite
          where revoked_at is not null and expired_at is null
      ) as happened group by queue_id, slot`,

    `create table queue_histogram (
      queue_id bigint not null,
      kind text not null,
      slot bigint not null,
      bucket bigint not null,
      count bigint not null,
      primary key (queue_id, kind, slot, bucket)
    ) clustered`,
    `insert into queue_histogram (queue_id, kind, slot, bucket, count)
      select queue_id, 'depth', ${slot('created_at')}, depth, count(*) from entry where depth > 0
      group by queue_id, ${slot('created_at')}, depth`,
    `insert into queue_histogram (queue_id, kind, slot, bucket, count)
      select queue_id, 'accept_time', slot, bucket, count(*)
      from (select queue_id, ${slot('accepted_at')} as slot, ${BUCKET} as bucket from invite
        where accepted_at is not null) as accepts
      group by queue_id, slot, bucket`,

    `create table metadata_key (
      queue_id bigint not null,
      key text not null,
      counted_seq bigint not null,
      primary key (queue_id, key)
    ) clustered`,
    `create table metadata_value (
      queue_id bigint not null,
      key text not null,
      pair_hash bytes not null,
      label bytes not null,
      primary key (queue_id, key, pair_hash)
    ) clustered`,
    `create table metadata_count (
      queue_id bigint not null,
      key text not null,
      day bigint not null,
      pair_hash bytes not null,
      signups bigint not null,
      primary key (queue_id, key, day, pair_hash)
    ) clustered`,

    `create table delivery_stat (
      queue_id bigint not null,
      channel text not null,
      target_id bytes not null,
      hour bigint not null,
      delivered bigint not null,
      kept bigint not null,
      failed bigint not null,
      retried bigint not null,
      primary key (queue_id, hour, channel, target_id)
    ) clustered`,
  ],
};
