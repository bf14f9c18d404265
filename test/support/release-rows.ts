import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Database, Trx } from '../../src/db/database.ts';
import { COPIED_TABLES, type CopiedTable, TABLE_KEYS } from '../../src/db/table-keys.ts';
import type { Installation } from './earlier.ts';
import { START, startService } from './harness.ts';

type Row = Record<string, unknown>;
type Rows = Map<CopiedTable, Row[]>;

/** An installation of this release with rows in every table. */
export async function createInstallation(): Promise<{ installation: Installation; rows: Rows }> {
  const service = await startService('sqlite');
  try {
    const list = await service.waitlist();
    await list.signup(
      { email: 'ann@example.com', metadata: { plan: 'pro' } },
      { email: 'ben@example.com', referredBy: 'ann@example.com' },
      { phone: '+4915112345678' },
      { email: 'dora@example.com' },
    );
    const accepted = await list.invite('dora@example.com');
    await service.accept(accepted.code);
    const { code } = await list.invite('ben@example.com', { expiresAt: START + 86_400_000 });
    const other = await service.waitlist({ name: 'Other' });
    await other.signup({ email: 'ann@example.com', metadata: { plan: 'free' } });
    const { db } = service.context;
    const queues = [await list.queue(), await other.queue()];
    await db.transaction(async (trx) => {
      for (const [at, { id, waitlist }] of queues.entries())
        writeTheRest(trx, { queue_id: id, waitlist_id: waitlist.internalId, number: at + 1 });
      trx.insert('audit_head', [{ id: 1, seq: queues.length, hash: Buffer.alloc(32, queues.length) }]);
    });
    const rows = await readRows(db);
    for (const [table, found] of rows)
      if (found.length === 0) throw new Error(`${table} is empty: add a row`);
    const masterKey = readFileSync(path.join(service.storage.dataDir, 'master.key'), 'utf8').trim();
    return {
      installation: { waitlistId: list.id, queueId: queues[0]?.id ?? 0, key: list.key, code, masterKey },
      rows,
    };
  } finally {
    await service.close();
  }
}

interface Which {
  queue_id: number;
  waitlist_id: number;
  /** What ids and hashes consist of. */
  number: number;
}

/** The tables that signups and invites leave empty. */
function writeTheRest(trx: Trx, { queue_id, waitlist_id, number }: Which): void {
  const [id, hash] = [Buffer.alloc(16, number), Buffer.alloc(32, number)];
  const target = { queue_id, channel: 'webhook', target_id: id, event_id: id };
  const times = { created_at: START, updated_at: START };
  trx.insert('repeated_request', [
    { queue_id, key_hash: hash, request_hash: hash, answer: null, created_at: START },
  ]);
  trx.insert('saved_segment', [{ queue_id, id, name: 'Testers', conditions: hash, ...times }]);
  const hookKey = { queue_id, id, hash, hint: 'x7Qa', name: '', created_at: START };
  trx.insert('gate_key', [hookKey]);
  trx.insert('mail_event_key', [hookKey]);
  trx.insert('mail_soft_bounce', [{ queue_id, email_hash: hash, day: 20_000 }]);
  trx.insert('mail_event_seen', [{ queue_id, report_hash: hash, expires_at: START }]);
  trx.insert('form_referral', [{ queue_id, link: hash, seq: 2 }]);
  trx.insert('mail_sending', [{ queue_id, paused_at: START, pause_reason: 'bounces' }]);
  trx.insert('wave', [
    {
      queue_id,
      id,
      name: 'Mornings',
      plan: hash,
      state: 'stopped' as const,
      accepted_before: 0,
      checked_at: START,
      ...times,
    },
  ]);
  trx.insert('wave_run', [{ queue_id, wave_id: id, scheduled_at: START, outcome: 'skipped' as const }]);
  trx.insert('job', [{ queue_id, id, kind: 'import', input: hash, progress: '{}', ...times }]);
  trx.insert('import_chunk', [{ queue_id, job_id: id, part: 'file', position: 0, sealed: hash }]);
  trx.insert('import_code', [{ queue_id, job_id: id, code_hash: hash, seq: 1 }]);
  trx.insert('import_link', [{ queue_id, job_id: id, seq: 2, kind: 'email', hash }]);
  trx.insert('import_range', [{ queue_id, job_id: id, first_seq: 1, last_seq: 2 }]);
  trx.insert('referral_alias', [{ queue_id, code_hash: hash, seq: 1 }]);
  trx.insert('operator_confirmation', [
    { queue_id, seq: 1, source: 'import', said_by: 'root', said_at: START },
  ]);
  trx.insert('webhook_endpoint', [{ queue_id, id, sealed: hash, events: '', disabled_at: START, ...times }]);
  trx.insert('event', [{ queue_id, id, kind: 'signup.created', body: hash, created_at: START }], {
    onConflict: 'ignore',
  });
  trx.insert('event_subject', [{ queue_id, subject: id, event_id: id }]);
  trx.insert('delivery', [{ ...target, delivered_at: START }]);
  trx.insert('delivery_attempt', [{ ...target, attempt: 1, at: START, duration_ms: 5, status: 200 }]);
  const theirPlan = { queue_id, key: 'plan', pair_hash: hash };
  trx.insert('metadata_key', [{ queue_id, key: 'plan', counted_seq: 1 }]);
  trx.insert('metadata_value', [{ ...theirPlan, label: hash }]);
  trx.insert('metadata_count', [{ ...theirPlan, day: START - (START % 86_400_000), signups: 1 }]);
  const outcomes = { delivered: 1, kept: 0, failed: 0, retried: 0 };
  trx.insert('delivery_stat', [{ queue_id, channel: 'webhook', target_id: id, hour: 0, ...outcomes }]);
  trx.insert('mail_part', [{ waitlist_id, part: 'invite', version: 1, content: '{}', created_at: START }]);
  trx.insert('waitlist_picture', [
    { waitlist_id, digest: 'ab', type: 'image/png', content: hash, created_at: START },
  ]);
  trx.insert('mail_suppression', [
    { queue_id, email_hash: hash, reason: 'bounced', created_at: START, emailed: 1 },
  ]);
  trx.insert('mail_pause', [
    { name: ['mail server', 'sender'][number - 1] ?? '', error: 'refused', since: START, tried_at: START },
  ]);
  trx.insert('form', [
    { queue_id, form_key: `dlf_${number}`, enabled: 1, settings: '{}', captcha_secret: hash, ...times },
  ]);
  trx.insert('form_spent', [{ queue_id, token_hash: hash, email_hash: hash, expires_at: START }]);
  trx.insert('form_refusal', [{ queue_id, slot: START, reason: 'honeypot', refused: 3 }]);
  const blocked = { origin: 'https://a.example', attempts: 1, last_at: START };
  trx.insert('form_blocked_origin', [{ queue_id, ...blocked }]);
  trx.insert('form_mail', [{ queue_id, day: START, email_hash: hash, mails: 1 }]);
  trx.insert('form_visit', [{ queue_id, visitor_hash: hash, place: 3, link: id, expires_at: START }]);
  trx.insert('referral_source', [{ queue_id, slot: START, referrer_seq: 1, network_hash: hash, signups: 2 }]);
  trx.insert('entry_decision', [
    { queue_id, seq: 1, id, decision: 'declined', note: hash, decided_by: null, decided_at: START },
  ]);
  trx.insert('entry_rule', [{ queue_id, id, conditions: hash, outcome: 'decline', created_at: START }]);
  trx.insert('erasure_request', [{ queue_id, id, seq: 1, reason: hash, created_at: START }]);
  trx.insert('code', [
    {
      ...{ queue_id, id, code_hash: hash, sealed: hash, does: 'admit', places: null, most: 5, used: 1 },
      ...{ expires_at: null, created_at: START, deleted_at: null },
    },
  ]);
  trx.insert('code_use', [{ queue_id, code_id: id, seq: 1, used_at: START, returned_at: null }]);
  trx.insert('referral_review', [{ queue_id, id, seq: 2, referrer_seq: 1, created_at: START }]);
  const theirs = { operator_id: id, created_at: START, expires_at: START };
  trx.insert('operator', [
    { id, email_hash: hash, profile: hash, role: 'owner' as const, created_at: START },
  ]);
  trx.insert('operator_session', [{ ...theirs, id, secret_hash: hash, client: hash, seen_at: START }]);
  trx.insert('operator_link', [
    { ...theirs, token_hash: hash, kind: 'reset', created_by: null, max_role: 'owner' },
  ]);
  trx.insert('recovery_code', [{ operator_id: id, code_hash: hash }]);
  trx.insert('passkey', [
    { id, operator_id: id, credential_hash: hash, sealed: hash, counter: 1, created_at: START },
  ]);
  trx.insert('used_challenge', [{ challenge_hash: hash, expires_at: START }]);
  trx.insert('admin_token', [
    { id, token_hash: hash, hint: 'abcd', name: 'ci', role: 'viewer' as const, created_at: START },
  ]);
  trx.insert('audit', [
    { seq: number, at: START, action: 'token.created', actor: 'command-line', details: hash, hash },
  ]);
  trx.insert('health_confirmation', [
    { name: number === 1 ? 'backup' : 'master key', key_id: null, confirmed_at: START },
  ]);
  trx.insert('health_state', [
    { name: number === 1 ? 'disk' : 'queue', what: 'disk', failing: 1, since: START, told: 0 },
  ]);
}

/** Of the tables that there are: earlier releases have fewer. */
export async function readRows(db: Database): Promise<Rows> {
  const rows: Rows = new Map();
  for (const table of COPIED_TABLES)
    if (await db.hasTable(db.query, table)) rows.set(table, await readTable(db, table));
  return rows;
}

/** The same columns of the same tables, as they are now. */
export async function readAgain(db: Database, rows: Rows): Promise<Rows> {
  const found: Rows = new Map();
  for (const [table, before] of rows) {
    const columns = Object.keys(before[0] ?? {});
    const now = await readTable(db, table);
    found.set(
      table,
      now.map((row) => Object.fromEntries(columns.map((name) => [name, row[name]]))),
    );
  }
  return found;
}

async function readTable(db: Database, table: CopiedTable): Promise<Row[]> {
  const key = TABLE_KEYS[table];
  const all = db.query.selectFrom(table as 'entry').selectAll();
  const found = await key.reduce((query, column) => query.orderBy(column as 'seq'), all).execute();
  return found.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name,
        value instanceof Uint8Array ? Buffer.from(value) : value,
      ]),
    ),
  );
}
