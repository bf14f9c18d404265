create table schema_version (version bigint not null, release text);

insert into schema_version (version) values (0);

create table instance (
    id bigint primary key check (id = 1),
    master_key_id bytea not null,
    master_key_check bytea not null,
    settings_version bigint not null,
    created_at bigint not null,
    erasures bigint not null default 0,
    erasures_wiped bigint not null default 0,
    public_url text,
    mail_from text,
    installation_keys bytea,
    default_time_zone text not null default 'UTC',
    backup_at bigint,
    alerts bytea
  );

create table environment (
    name text primary key,
    created_at bigint not null
  );

create table operator (
    id bytea primary key,
    email_hash bytea not null unique,
    profile bytea not null,
    role text not null check (role in ('owner', 'admin', 'support', 'viewer')),
    password text,
    totp bytea,
    totp_pending bytea,
    totp_step bigint not null default 0,
    created_at bigint not null
  );

create table operator_session (
    id bytea primary key,
    secret_hash bytea not null unique,
    operator_id bytea not null references operator (id),
    client bytea not null,
    created_at bigint not null,
    seen_at bigint not null,
    expires_at bigint not null
  );

create index operator_session_operator on operator_session (operator_id);

create table operator_link (
    token_hash bytea primary key,
    operator_id bytea not null references operator (id),
    kind text not null check (kind in ('invitation', 'reset')),
    created_at bigint not null,
    expires_at bigint not null,
    created_by text,
    max_role text
  );

create index operator_link_operator on operator_link (operator_id);

create table recovery_code (
    operator_id bytea not null references operator (id),
    code_hash bytea not null,
    primary key (operator_id, code_hash)
  );

create table passkey (
    id bytea primary key,
    operator_id bytea not null references operator (id),
    credential_hash bytea not null unique,
    sealed bytea not null,
    counter bigint not null,
    created_at bigint not null,
    last_used_at bigint
  );

create index passkey_operator on passkey (operator_id);

create table used_challenge (
    challenge_hash bytea primary key,
    expires_at bigint not null
  );

create table admin_token (
    id bytea primary key,
    token_hash bytea not null unique,
    hint text not null,
    name text not null,
    role text not null check (role in ('owner', 'admin', 'support', 'viewer')),
    created_at bigint not null,
    expires_at bigint,
    revoked_at bigint,
    last_used_at bigint,
    created_by text
  );

create table audit (
    seq bigint primary key,
    at bigint not null,
    action text not null,
    actor text not null,
    object text,
    details bytea not null,
    hash bytea not null
  );

create index audit_action on audit (action, seq);

create index audit_actor on audit (actor, seq);

create index audit_object on audit (object, seq) where object is not null;

create table audit_head (
    id bigint primary key check (id = 1),
    seq bigint not null,
    hash bytea not null,
    seal bytea,
    start_seq bigint not null default 0,
    start_hash bytea,
    start_seal bytea
  );

create table repeated_request (
    queue_id bigint not null,
    key_hash bytea not null,
    request_hash bytea not null,
    answer bytea,
    created_at bigint not null,
    primary key (queue_id, key_hash)
  );

create index repeated_request_age on repeated_request (created_at);

create table mail_pause (
    name text primary key,
    error text not null,
    answer text,
    since bigint not null,
    tried_at bigint not null
  );

create table health_confirmation (
    name text primary key,
    key_id bytea,
    confirmed_at bigint not null
  );

create table health_state (
    name text primary key,
    what text not null,
    failing bigint not null,
    since bigint not null,
    told bigint not null
  );

create table copy_mark (
    id bigint primary key check (id = 1),
    progress text not null
  );

create table waitlist (
    id bigint generated always as identity primary key,
    public_id text not null unique,
    name text not null,
    boost bigint not null check (boost between 0 and 1000),
    referral_cap bigint,
    invite_expiry_ms bigint,
    expired_stay_invited bigint not null default 0,
    confirm_emails bigint not null default 0,
    mail_kinds text not null default 'confirm,invite',
    mail_version bigint not null default 0,
    invite_reminder_ms bigint not null default 86400000,
    metadata_keys text not null default '[]',
    first_steps_dismissed bigint not null default 0,
    unsettled text,
    closed_at bigint,
    created_at bigint not null,
    deleted_at bigint
  );

create index waitlist_deleted on waitlist (deleted_at) where deleted_at is not null;

create index waitlist_unsettled on waitlist (id) where unsettled is not null;

create table waitlist_picture (
    waitlist_id bigint not null references waitlist (id),
    digest text not null,
    type text not null,
    content bytea not null,
    created_at bigint not null,
    primary key (waitlist_id, digest)
  );

create table mail_part (
    waitlist_id bigint not null references waitlist (id),
    part text not null,
    version bigint not null,
    content text,
    created_at bigint not null,
    primary key (waitlist_id, part, version)
  );

create table queue (
    id bigint generated always as identity primary key,
    waitlist_id bigint not null references waitlist (id),
    environment text not null references environment (name),
    code_tag text not null unique,
    wrapped_keys bytea not null,
    created_at bigint not null,
    unique (waitlist_id, environment)
  );

create table queue_state (
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
    closed bigint not null default 0,
    opened bigint not null default 0,
    close_after bigint,
    open_invites bigint not null default 0,
    accepted_invites bigint not null default 0
  );

create index queue_state_expiry on queue_state (next_expiry) where next_expiry is not null;

create index queue_state_reminder on queue_state (next_reminder) where next_reminder is not null;

create index queue_state_rerank on queue_state (rerank_after) where rerank_after is not null;

create index queue_state_close on queue_state (close_after) where close_after is not null;

create table server_key (
    id bytea primary key,
    hash bytea not null unique,
    hint text not null,
    label text not null default '',
    waitlist_id bigint references waitlist (id),
    environment text not null references environment (name),
    can_read bigint not null,
    created_at bigint not null,
    expires_at bigint,
    revoked_at bigint,
    last_used_at bigint
  );

create table gate_key (
    queue_id bigint not null references queue (id),
    id bytea not null,
    hash bytea not null,
    hint text not null,
    name text not null,
    secret bytea,
    created_at bigint not null,
    last_used_at bigint,
    primary key (queue_id, id)
  );

create unique index gate_key_hash on gate_key (queue_id, hash);

create table mail_event_key (
    queue_id bigint not null references queue (id),
    id bytea not null,
    hash bytea not null,
    hint text not null,
    name text not null,
    secret bytea,
    created_at bigint not null,
    last_used_at bigint,
    provider text,
    topic text,
    primary key (queue_id, id)
  );

create unique index mail_event_key_hash on mail_event_key (queue_id, hash);

create table saved_segment (
    queue_id bigint not null references queue (id),
    id bytea not null,
    name text not null,
    conditions bytea not null,
    created_at bigint not null,
    updated_at bigint not null,
    primary key (queue_id, id)
  );

create table job (
    queue_id bigint not null references queue (id),
    id bytea not null,
    kind text not null,
    input bytea not null,
    progress text not null,
    created_at bigint not null,
    updated_at bigint not null,
    finished_at bigint,
    runner text not null default 'command-line',
    done bigint not null default 0,
    total bigint,
    outcome text,
    error text,
    result text,
    created_by text,
    subject text,
    lease_token bytea,
    lease_until bigint,
    cancel_at bigint,
    primary key (queue_id, id)
  );

create unique index job_id on job (id);

create index job_open on job (runner, id) where finished_at is null;

create index job_finished on job (finished_at) where finished_at is not null;

create table import_chunk (
    queue_id bigint not null,
    job_id bytea not null,
    part text not null,
    position bigint not null,
    sealed bytea not null,
    primary key (queue_id, job_id, part, position)
  );

create table import_code (
    queue_id bigint not null,
    job_id bytea not null,
    code_hash bytea not null,
    seq bigint not null,
    primary key (queue_id, job_id, code_hash)
  );

create table import_link (
    queue_id bigint not null,
    job_id bytea not null,
    seq bigint not null,
    kind text not null,
    hash bytea not null,
    primary key (queue_id, job_id, seq)
  );

create table import_range (
    queue_id bigint not null,
    job_id bytea not null,
    first_seq bigint not null,
    last_seq bigint not null,
    primary key (queue_id, job_id, first_seq)
  );

create table entry (
    queue_id bigint not null,
    seq bigint not null,
    closed bigint not null default 0,
    opened bigint not null default 0,
    id bytea not null,
    status text not null check (status in ('pending', 'waiting', 'invited', 'joined', 'removed')),
    rank bigint not null,
    referrals bigint not null default 0,
    moved bigint not null default 0,
    referrer_seq bigint,
    credited bigint not null default 0,
    person bytea,
    email_hash bytea,
    phone_hash bytea,
    mailbox_hash bytea,
    created_at bigint not null,
    invited_at bigint,
    joined_at bigint,
    removed_at bigint,
    removed_from text,
    confirmed_at bigint,
    depth bigint not null default 0,
    primary key (queue_id, seq)
  );

create unique index entry_id on entry (queue_id, id);

create unique index entry_email on entry (queue_id, email_hash) where email_hash is not null;

create unique index entry_phone on entry (queue_id, phone_hash) where phone_hash is not null;

create index entry_status on entry (queue_id, status, seq);

create index entry_created on entry (queue_id, created_at, seq);

create index entry_rank on entry (queue_id, rank, seq desc) where status = 'waiting';

create index entry_referrer on entry (queue_id, referrer_seq) where referrer_seq is not null;

create index entry_referrals on entry (queue_id, referrals desc, seq) where referrals > 0;

create index entry_mailbox on entry (queue_id, mailbox_hash, credited) where mailbox_hash is not null;

create index entry_moved on entry (queue_id, seq) where moved <> 0;

create table rank_count (
    queue_id bigint not null,
    level bigint not null,
    bucket bigint not null,
    waiting bigint not null,
    primary key (queue_id, level, bucket)
  );

create table metadata_pair (
    queue_id bigint not null,
    pair_hash bytea not null,
    seq bigint not null,
    primary key (queue_id, pair_hash, seq)
  );

create table referral_alias (
    queue_id bigint not null,
    code_hash bytea not null,
    seq bigint not null,
    primary key (queue_id, code_hash)
  );

create index referral_alias_entry on referral_alias (queue_id, seq);

create table referral_source (
    queue_id bigint not null references queue (id),
    slot bigint not null,
    referrer_seq bigint not null,
    network_hash bytea not null,
    signups bigint not null,
    primary key (queue_id, slot, referrer_seq, network_hash)
  );

create table referral_review (
    queue_id bigint not null references queue (id),
    id bytea not null,
    seq bigint not null,
    referrer_seq bigint not null,
    created_at bigint not null,
    decision text check (decision in ('credit', 'reject')),
    decided_at bigint,
    primary key (queue_id, id)
  );

create unique index referral_review_entry on referral_review (queue_id, seq);

create index referral_review_open on referral_review (queue_id, id) where decision is null;

create table operator_confirmation (
    queue_id bigint not null,
    seq bigint not null,
    source text not null,
    said_by text not null,
    said_at bigint not null,
    primary key (queue_id, seq)
  );

create table invite (
    queue_id bigint not null references queue (id),
    id bytea not null,
    code_hash bytea not null,
    email_hash bytea not null,
    sealed bytea not null,
    created_at bigint not null,
    expires_at bigint,
    accepted_at bigint,
    revoked_at bigint,
    expired_at bigint,
    remind_at bigint,
    accept_key_hash bytea,
    accept_answer bytea,
    wave_id bytea,
    wave_run bigint,
    primary key (queue_id, id)
  );

create unique index invite_code on invite (queue_id, code_hash);

create index invite_email on invite (queue_id, email_hash, created_at);

create index invite_open on invite (queue_id, expires_at)
    where accepted_at is null and revoked_at is null and expired_at is null;

create index invite_reminder on invite (queue_id, remind_at) where remind_at is not null;

create index invite_live on invite (queue_id, id)
    where accepted_at is null and revoked_at is null and expired_at is null;

create index invite_accepted on invite (queue_id, id) where accepted_at is not null;

create index invite_revoked on invite (queue_id, id)
    where accepted_at is null and revoked_at is not null;

create index invite_expired on invite (queue_id, id)
    where accepted_at is null and revoked_at is null and expired_at is not null;

create index invite_wave on invite (queue_id, wave_id, wave_run) where wave_id is not null;

create table wave (
    queue_id bigint not null references queue (id),
    id bytea not null,
    name text not null,
    plan bytea not null,
    keep_open bigint,
    until_joined bigint,
    state text not null,
    pause_reason text,
    resumes_itself bigint not null default 0,
    accepted_before bigint not null,
    next_at bigint,
    run_at bigint,
    invited bigint not null default 0,
    seats text not null default '[]',
    checked_at bigint not null,
    created_by text,
    created_at bigint not null,
    updated_at bigint not null,
    finished_at bigint,
    primary key (queue_id, id)
  );

create index wave_active on wave (queue_id, id) where state = 'active';

create table wave_run (
    queue_id bigint not null references queue (id),
    wave_id bytea not null,
    scheduled_at bigint not null,
    started_at bigint,
    finished_at bigint,
    outcome text,
    invited bigint not null default 0,
    unreadable text not null default '[]',
    job_id bytea,
    primary key (queue_id, wave_id, scheduled_at)
  );

create index wave_run_job on wave_run (queue_id, job_id) where job_id is not null;

create table queue_stat (
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
  );

create table queue_histogram (
    queue_id bigint not null,
    kind text not null,
    slot bigint not null,
    bucket bigint not null,
    count bigint not null,
    primary key (queue_id, kind, slot, bucket)
  );

create table metadata_key (
    queue_id bigint not null,
    key text not null,
    counted_seq bigint not null,
    primary key (queue_id, key)
  );

create table metadata_value (
    queue_id bigint not null,
    key text not null,
    pair_hash bytea not null,
    label bytea not null,
    primary key (queue_id, key, pair_hash)
  );

create table metadata_count (
    queue_id bigint not null,
    key text not null,
    day bigint not null,
    pair_hash bytea not null,
    signups bigint not null,
    primary key (queue_id, key, day, pair_hash)
  );

create table webhook_endpoint (
    queue_id bigint not null references queue (id),
    id bytea not null unique,
    sealed bytea not null,
    events text not null,
    rate_limit bigint,
    rate_used_until bigint not null default 0,
    disabled_at bigint,
    disabled_reason text,
    failing_since bigint,
    last_success_at bigint,
    created_at bigint not null,
    updated_at bigint not null,
    primary key (queue_id, id)
  );

create table event (
    queue_id bigint not null,
    id bytea not null,
    kind text not null,
    body bytea,
    created_at bigint not null,
    primary key (queue_id, id)
  );

create table event_subject (
    queue_id bigint not null,
    subject bytea not null,
    event_id bytea not null,
    primary key (queue_id, subject, event_id)
  );

create index event_subject_event on event_subject (queue_id, event_id);

create table delivery (
    queue_id bigint not null,
    channel text not null,
    target_id bytea not null,
    event_id bytea not null,
    due_at bigint,
    token bytea,
    tries bigint not null default 0,
    attempts bigint not null default 0,
    delivered_at bigint,
    failed_at bigint,
    primary key (queue_id, channel, target_id, event_id)
  );

create index delivery_due on delivery (queue_id, channel, target_id, due_at, event_id)
    where due_at is not null;

create index delivery_failed on delivery (queue_id, channel, target_id, event_id)
    where failed_at is not null;

create table delivery_attempt (
    queue_id bigint not null,
    channel text not null,
    target_id bytea not null,
    event_id bytea not null,
    attempt bigint not null,
    at bigint not null,
    duration_ms bigint not null,
    status bigint,
    error text,
    response bytea,
    primary key (queue_id, event_id, channel, target_id, attempt)
  );

create table delivery_stat (
    queue_id bigint not null,
    channel text not null,
    target_id bytea not null,
    hour bigint not null,
    delivered bigint not null,
    kept bigint not null,
    failed bigint not null,
    retried bigint not null,
    primary key (queue_id, hour, channel, target_id)
  );

create table mail_suppression (
    queue_id bigint not null references queue (id),
    email_hash bytea not null,
    reason text not null,
    created_at bigint not null,
    primary key (queue_id, email_hash, reason)
  );

create index mail_suppression_since on mail_suppression (queue_id, reason, created_at);

create table mail_soft_bounce (
    queue_id bigint not null references queue (id),
    email_hash bytea not null,
    day bigint not null,
    primary key (queue_id, email_hash, day)
  );

create table mail_event_seen (
    queue_id bigint not null references queue (id),
    report_hash bytea not null,
    expires_at bigint not null,
    primary key (queue_id, report_hash)
  );

create index mail_event_seen_expiry on mail_event_seen (queue_id, expires_at);

create table mail_sending (
    queue_id bigint primary key references queue (id),
    bounce_limit bigint default 1000,
    complaint_limit bigint default 50,
    paused_at bigint,
    resumed_at bigint,
    pause_reason text,
    review_at bigint,
    counted_from bigint,
    sent_before bigint not null default 0,
    warm_up_start bigint,
    warm_up_to bigint,
    warm_up_number bigint not null default 0,
    warm_up_day bigint not null default 0,
    warm_up_taken bigint not null default 0
  );

create table form (
    queue_id bigint primary key references queue (id),
    form_key text not null unique,
    enabled bigint not null,
    settings text not null,
    captcha_secret bytea,
    created_at bigint not null,
    updated_at bigint not null
  );

create table form_spent (
    queue_id bigint not null references queue (id),
    token_hash bytea not null,
    email_hash bytea not null,
    expires_at bigint not null,
    primary key (queue_id, token_hash)
  );

create index form_spent_expiry on form_spent (queue_id, expires_at);

create table form_refusal (
    queue_id bigint not null references queue (id),
    slot bigint not null,
    reason text not null,
    refused bigint not null,
    primary key (queue_id, slot, reason)
  );

create table form_blocked_origin (
    queue_id bigint not null references queue (id),
    origin text not null,
    attempts bigint not null,
    last_at bigint not null,
    primary key (queue_id, origin)
  );

create table form_mail (
    queue_id bigint not null references queue (id),
    day bigint not null,
    email_hash bytea not null,
    mails bigint not null,
    primary key (queue_id, day, email_hash)
  );

create table form_visit (
    queue_id bigint not null references queue (id),
    visitor_hash bytea not null,
    place bigint not null,
    expires_at bigint not null,
    link bytea,
    primary key (queue_id, visitor_hash)
  );

create index form_visit_expiry on form_visit (queue_id, expires_at);

create table form_referral (
    queue_id bigint not null references queue (id),
    link bytea not null,
    seq bigint not null,
    primary key (queue_id, link, seq)
  );

create or replace function doorlist_schema_gate() returns trigger language plpgsql as $gate$
    begin
      if nullif(current_setting('doorlist.schema', true), '')::bigint >= 40 then return null; end if;
      if nullif(current_setting('doorlist.schema', true), '') is null and current_setting('application_name') not like 'doorlist%' then return null; end if;
      raise exception using errcode = '57D01', message =
        'a newer release of Doorlist has updated this database to schema version 40: stop this server and start the newer release';
    end $gate$;

create or replace trigger doorlist_schema_gate before insert or update or delete on queue_state
      for each statement execute function doorlist_schema_gate();

create or replace trigger doorlist_schema_gate before insert or update or delete on instance
      for each statement execute function doorlist_schema_gate();

create or replace trigger doorlist_schema_gate before insert or update or delete on environment
      for each statement execute function doorlist_schema_gate();

create or replace trigger doorlist_schema_gate before insert or update or delete on waitlist
      for each statement execute function doorlist_schema_gate();

create or replace trigger doorlist_schema_gate before insert or update or delete on queue
      for each statement execute function doorlist_schema_gate();

create or replace trigger doorlist_schema_gate before insert or update or delete on saved_segment
      for each statement execute function doorlist_schema_gate();

create or replace trigger doorlist_schema_gate before insert or update or delete on wave
      for each statement execute function doorlist_schema_gate();

create or replace trigger doorlist_schema_gate before insert or update or delete on wave_run
      for each statement execute function doorlist_schema_gate();

create or replace trigger doorlist_schema_gate before insert or update or delete on job
      for each statement execute function doorlist_schema_gate();

create or replace trigger doorlist_schema_gate before insert or update or delete on import_chunk
      for each statement execute function doorlist_schema_gate();

create or replace trigger doorlist_schema_gate before insert or update or delete on import_range
      for each statement execute function doorlist_schema_gate();

create or replace trigger doorlist_schema_gate before insert or update or delete on server_key
      for each statement execute function doorlist_schema_gate();

create or replace trigger doorlist_schema_gate before insert or update or delete on gate_key
      for each statement execute function doorlist_schema_gate();

create or replace trigger doorlist_schema_gate before insert or update or delete on mail_event_key
      for each statement execute function doorlist_schema_gate();

create or replace trigger doorlist_schema_gate before insert or update or delete on webhook_endpoint
      for each statement execute function doorlist_schema_gate();

create or replace trigger doorlist_schema_gate before insert or update or delete on delivery
      for each statement execute function doorlist_schema_gate();

create or replace trigger doorlist_schema_gate before insert or update or delete on mail_part
      for each statement execute function doorlist_schema_gate();

create or replace trigger doorlist_schema_gate before insert or update or delete on waitlist_picture
      for each statement execute function doorlist_schema_gate();

create or replace trigger doorlist_schema_gate before insert or update or delete on mail_suppression
      for each statement execute function doorlist_schema_gate();

create or replace trigger doorlist_schema_gate before insert or update or delete on mail_soft_bounce
      for each statement execute function doorlist_schema_gate();

create or replace trigger doorlist_schema_gate before insert or update or delete on mail_event_seen
      for each statement execute function doorlist_schema_gate();

create or replace trigger doorlist_schema_gate before insert or update or delete on mail_sending
      for each statement execute function doorlist_schema_gate();

create or replace trigger doorlist_schema_gate before insert or update or delete on mail_pause
      for each statement execute function doorlist_schema_gate();

create or replace trigger doorlist_schema_gate before insert or update or delete on form
      for each statement execute function doorlist_schema_gate();

create or replace trigger doorlist_schema_gate before insert or update or delete on form_spent
      for each statement execute function doorlist_schema_gate();

create or replace trigger doorlist_schema_gate before insert or update or delete on form_refusal
      for each statement execute function doorlist_schema_gate();

create or replace trigger doorlist_schema_gate before insert or update or delete on form_blocked_origin
      for each statement execute function doorlist_schema_gate();

create or replace trigger doorlist_schema_gate before insert or update or delete on form_mail
      for each statement execute function doorlist_schema_gate();

create or replace trigger doorlist_schema_gate before insert or update or delete on form_visit
      for each statement execute function doorlist_schema_gate();

create or replace trigger doorlist_schema_gate before insert or update or delete on form_referral
      for each statement execute function doorlist_schema_gate();

create or replace trigger doorlist_schema_gate before insert or update or delete on repeated_request
      for each statement execute function doorlist_schema_gate();

create or replace trigger doorlist_schema_gate before insert or update or delete on operator
      for each statement execute function doorlist_schema_gate();

create or replace trigger doorlist_schema_gate before insert or update or delete on operator_session
      for each statement execute function doorlist_schema_gate();

create or replace trigger doorlist_schema_gate before insert or update or delete on operator_link
      for each statement execute function doorlist_schema_gate();

create or replace trigger doorlist_schema_gate before insert or update or delete on recovery_code
      for each statement execute function doorlist_schema_gate();

create or replace trigger doorlist_schema_gate before insert or update or delete on passkey
      for each statement execute function doorlist_schema_gate();

create or replace trigger doorlist_schema_gate before insert or update or delete on used_challenge
      for each statement execute function doorlist_schema_gate();

create or replace trigger doorlist_schema_gate before insert or update or delete on admin_token
      for each statement execute function doorlist_schema_gate();

create or replace trigger doorlist_schema_gate before insert or update or delete on audit
      for each statement execute function doorlist_schema_gate();

create or replace trigger doorlist_schema_gate before insert or update or delete on audit_head
      for each statement execute function doorlist_schema_gate();

create or replace trigger doorlist_schema_gate before insert or update or delete on health_confirmation
      for each statement execute function doorlist_schema_gate();

create or replace trigger doorlist_schema_gate before insert or update or delete on health_state
      for each statement execute function doorlist_schema_gate();

create or replace trigger doorlist_schema_gate before insert or update or delete on copy_mark
      for each statement execute function doorlist_schema_gate();

create or replace trigger doorlist_schema_gate before insert or update or delete on schema_version
      for each statement execute function doorlist_schema_gate();

update schema_version set version = 40, release = '0.1.0';

insert into instance (id, master_key_id, master_key_check, settings_version, created_at, erasures, erasures_wiped, public_url, mail_from, installation_keys, default_time_zone, backup_at, alerts)
  values (1, '\xed97471641682272', '\x01ed97471641682272e5edb63f04c428fb996fff675a6eaae07d5d44726431bda2337f2d30221d28ada69c80a04f4a3f7940e7d9a1d0552a3812e3ca990a7369d2aefbd260aa04a0bd25', 5, 1794735000000, 0, 0, null, null, '\x01ed97471641682272655527cf3c76ec584d5df689c2459f06d58cd00e203e0d3142f581e7a12bd2104733c7ac36bf3738079bd023c9196d010369dfc4beb19d94b09fb70ef49be9260fc58386ff1d4004dfb9461605f9a5123d37cd0ac2e82a6fd0a6e425a6d2b0eb234b6340a9c278ea', 'UTC', null, null);

insert into environment (name, created_at)
  values ('development', 1794735000000);

insert into environment (name, created_at)
  values ('production', 1794735000000);

insert into waitlist (id, public_id, name, boost, referral_cap, invite_expiry_ms, expired_stay_invited, confirm_emails, mail_kinds, mail_version, invite_reminder_ms, metadata_keys, first_steps_dismissed, unsettled, closed_at, created_at, deleted_at) overriding system value
  values (1, 'wl_12cbe248a6', 'Acme', 5, null, null, 0, 0, 'confirm,invite', 0, 86400000, '[]', 0, null, null, 1794735000000, null);

insert into waitlist (id, public_id, name, boost, referral_cap, invite_expiry_ms, expired_stay_invited, confirm_emails, mail_kinds, mail_version, invite_reminder_ms, metadata_keys, first_steps_dismissed, unsettled, closed_at, created_at, deleted_at) overriding system value
  values (2, 'wl_2826dcddbe', 'Other', 5, null, null, 0, 0, 'confirm,invite', 0, 86400000, '[]', 0, null, null, 1794735000000, null);

insert into queue (id, waitlist_id, environment, code_tag, wrapped_keys, created_at) overriding system value
  values (1, 1, 'development', 'ak80nx', '\x01ed974716416822720503a503950a24c25b891b79c90872cd1d35526a6e422d3af0dd5ab7e742e23a7708dd5e4df1c197cf0daa27f6212cae072fa7fe81760ba961cf5b531ee3bfb06c7f24e3d78acc19c81741d55eaac0530d489e62befb226a36c21b19fb2b36c9785b92de93a603cb', 1794735000000);

insert into queue (id, waitlist_id, environment, code_tag, wrapped_keys, created_at) overriding system value
  values (2, 1, 'production', 'ttqe35', '\x01ed974716416822728deb04ae37173029678854d7c81a9b55b06677127ca0dd0a1d4923a44ede7e4887323187cb5e3e3bd12479f0da129c3a63c8c5d777222336406dcb0eb27436b881f7c5f263f803334f30ac7d58fbe0a34fa6f71f57664cf3617e73d7859c890c8aad4bd4b83a9a5b', 1794735000000);

insert into queue (id, waitlist_id, environment, code_tag, wrapped_keys, created_at) overriding system value
  values (3, 2, 'development', '31r91m', '\x01ed97471641682272f425fe043ae433878a930f8a04a6db03adb19af5cc1c12e40c703c7046635ea9c5ccf7f541ad90ea607ec5326eb6244a53b26a8bd87ee4164dbe52ac86115fc3e86ceb4ba6bd6b591fcb54b9bf7edff73176a7c51ae156fb4d96ca616fa01b2a80fb33066d445d8a', 1794735000000);

insert into queue (id, waitlist_id, environment, code_tag, wrapped_keys, created_at) overriding system value
  values (4, 2, 'production', '97hw4c', '\x01ed974716416822728206c1adf3ae4d691b28abef98ac851b950268538fde7a8db9d36ce19966e36d5bb6c424222c4d4a34d2ba3e2c66e3fcf1220c3b8f7015ad658cf3549bf7fb8d0acdbfb31e632263236dff88d4ed23415425a5d9e2feede30fd5862a89dac598d59800aaffbd698c', 1794735000000);

insert into queue_state (queue_id, last_seq, pending, waiting, invited, joined, removed, next_expiry, next_reminder, rerank_after, listens, undone, closed, opened, close_after, open_invites, accepted_invites)
  values (1, 0, 0, 0, 0, 0, 0, null, null, null, '', 0, 0, 0, null, 0, 0);

insert into queue_state (queue_id, last_seq, pending, waiting, invited, joined, removed, next_expiry, next_reminder, rerank_after, listens, undone, closed, opened, close_after, open_invites, accepted_invites)
  values (2, 4, 0, 2, 1, 1, 0, 1794821400000, null, null, '', 0, 0, 0, null, 1, 1);

insert into queue_state (queue_id, last_seq, pending, waiting, invited, joined, removed, next_expiry, next_reminder, rerank_after, listens, undone, closed, opened, close_after, open_invites, accepted_invites)
  values (3, 0, 0, 0, 0, 0, 0, null, null, null, '', 0, 0, 0, null, 0, 0);

insert into queue_state (queue_id, last_seq, pending, waiting, invited, joined, removed, next_expiry, next_reminder, rerank_after, listens, undone, closed, opened, close_after, open_invites, accepted_invites)
  values (4, 1, 0, 1, 0, 0, 0, null, null, null, '', 0, 0, 0, null, 0, 0);

insert into entry (queue_id, seq, closed, opened, id, status, rank, referrals, moved, referrer_seq, credited, person, email_hash, phone_hash, mailbox_hash, created_at, invited_at, joined_at, removed_at, removed_from, confirmed_at, depth)
  values (2, 1, 0, 0, '\x01a1de8ac9c0a375f721316dd2454930', 'waiting', -4, 1, 0, null, 0, '\x01f15cbb47135fda82dca0201d18de98bc1610682c0dd193cd57a3b164b87c03f8d82b209663a47cbd5c1666f092baa498d8b170d6d47bcb87e04c2ec4962c283a90381a84257a0ff56352b479d1cc3a58d50622a2e65e29c09c4c80c55a091a68bf75d15a1aaa7f262feec6e431caab409c12', '\x3639c525d67c760d4916278779107afdbb9753c1767eb330acbc156563dffb34', null, null, 1794735000000, null, null, null, null, null, 0);

insert into entry (queue_id, seq, closed, opened, id, status, rank, referrals, moved, referrer_seq, credited, person, email_hash, phone_hash, mailbox_hash, created_at, invited_at, joined_at, removed_at, removed_from, confirmed_at, depth)
  values (2, 2, 0, 0, '\x01a1de8ac9c0de91a6c1f75648297fc0', 'invited', 2, 0, 0, 1, 1, '\x01f15cbb47135fda8200fa3804ecf1b077fc071521d8aa0e3517173e617b269cfe173d18b6940242098151618175a6235cf630a4dbe4a1ff7541652aae9161208da4b9995dfc886a9c18a5f9e1b3318352571e52fb2d8c5d05b657bf9a6409cbe8e98a24fdbd6bb07d', '\xb7785d8e9b866a3adecec079ce3a7a7c1b9f723cc36ded0af1c07bc5eaec9da5', null, null, 1794735000000, 1794735000000, null, null, null, null, 1);

insert into entry (queue_id, seq, closed, opened, id, status, rank, referrals, moved, referrer_seq, credited, person, email_hash, phone_hash, mailbox_hash, created_at, invited_at, joined_at, removed_at, removed_from, confirmed_at, depth)
  values (2, 3, 0, 0, '\x01a1de8ac9c0dc6ff01632fc1a2bd6bf', 'waiting', 3, 0, 0, null, 0, '\x01f15cbb47135fda829bb73a6e2ced0f46fd32faf1a031b2475ee937f4fab80e8fde26aa7f34036fb841848e597bc2f537f3e5b8483067a7e3df92eb4ea7f89f426f1f37cfae8734e944ca81a6a96dfb8f1747279b3fe87866940b64ad41f9b9977255fdad81aaf4', null, '\x3037e33270b18eadcb2b11747fe8439799b7ce4196f18bfbeae497279e805f0f', null, 1794735000000, null, null, null, null, null, 0);

insert into entry (queue_id, seq, closed, opened, id, status, rank, referrals, moved, referrer_seq, credited, person, email_hash, phone_hash, mailbox_hash, created_at, invited_at, joined_at, removed_at, removed_from, confirmed_at, depth)
  values (2, 4, 0, 0, '\x01a1de8ac9c0a69140a077420df5db4b', 'joined', 4, 0, 0, null, 0, '\x01f15cbb47135fda82a62c3ef53e60d9575941b3ab91a313169e5394743631edcb6faaf0e7167be5472a379ea21b357abbee25fa72003accb4afeac3249b7be623084be6be46b42971bd5cf9c1601073f35bb295087d1552ba2f2c9922d0811215a9755c712b605d7fc2', '\x9ab55d6d40a93532365f257c2b0ce54aadaa375a5b69b0da1b9d41594a1b9994', null, null, 1794735000000, 1794735000000, 1794735000000, null, null, null, 0);

insert into entry (queue_id, seq, closed, opened, id, status, rank, referrals, moved, referrer_seq, credited, person, email_hash, phone_hash, mailbox_hash, created_at, invited_at, joined_at, removed_at, removed_from, confirmed_at, depth)
  values (4, 1, 0, 0, '\x01a1de8ac9c049e2ffe17d5eef4ab222', 'waiting', 1, 0, 0, null, 0, '\x017387da539815b4cb1a0111efc14382426617e755e1bdd71971ece50b4732384147eeb7c50503c3f277f00bea42d7a521782e594bd8661a06665b779de7dd0e6728cf34e35055e8819422e84b3e721852627ed5784d2c982e1186dfedf5218abf2a5ef8f1cb207343cef29349a7bc0a56332471', '\xf79e581e849d5ac4b00d61d6d4c346805fab8446be732412f6eab8451001b55c', null, null, 1794735000000, null, null, null, null, null, 0);

insert into rank_count (queue_id, level, bucket, waiting)
  values (2, 0, -1, 1);

insert into rank_count (queue_id, level, bucket, waiting)
  values (2, 0, 0, 1);

insert into rank_count (queue_id, level, bucket, waiting)
  values (2, 1, -1, 1);

insert into rank_count (queue_id, level, bucket, waiting)
  values (2, 1, 0, 1);

insert into rank_count (queue_id, level, bucket, waiting)
  values (2, 2, -1, 1);

insert into rank_count (queue_id, level, bucket, waiting)
  values (2, 2, 0, 1);

insert into rank_count (queue_id, level, bucket, waiting)
  values (2, 3, -1, 1);

insert into rank_count (queue_id, level, bucket, waiting)
  values (2, 3, 0, 1);

insert into rank_count (queue_id, level, bucket, waiting)
  values (4, 0, 0, 1);

insert into rank_count (queue_id, level, bucket, waiting)
  values (4, 1, 0, 1);

insert into rank_count (queue_id, level, bucket, waiting)
  values (4, 2, 0, 1);

insert into rank_count (queue_id, level, bucket, waiting)
  values (4, 3, 0, 1);

insert into metadata_pair (queue_id, pair_hash, seq)
  values (2, '\xee0fdbe6ec418c49a2a593fbd06abc7e2cc361a3bb6626ff80a582d0a80667c0', 1);

insert into metadata_pair (queue_id, pair_hash, seq)
  values (4, '\x9a950269f09972dc31b061b16e810d5ce25f57a732492241230e6af3083da526', 1);

insert into queue_stat (queue_id, slot, signups, referred, confirmed, invited, accepted, expired, revoked, removed)
  values (2, 1794735000000, 4, 1, 0, 2, 1, 0, 0, 0);

insert into queue_stat (queue_id, slot, signups, referred, confirmed, invited, accepted, expired, revoked, removed)
  values (4, 1794735000000, 1, 0, 0, 0, 0, 0, 0, 0);

insert into queue_histogram (queue_id, kind, slot, bucket, count)
  values (2, 'accept_time', 1794735000000, 0, 1);

insert into queue_histogram (queue_id, kind, slot, bucket, count)
  values (2, 'depth', 1794735000000, 1, 1);

insert into metadata_key (queue_id, key, counted_seq)
  values (2, 'plan', 1);

insert into metadata_key (queue_id, key, counted_seq)
  values (4, 'plan', 1);

insert into metadata_value (queue_id, key, pair_hash, label)
  values (2, 'plan', '\x0101010101010101010101010101010101010101010101010101010101010101', '\x0101010101010101010101010101010101010101010101010101010101010101');

insert into metadata_value (queue_id, key, pair_hash, label)
  values (4, 'plan', '\x0202020202020202020202020202020202020202020202020202020202020202', '\x0202020202020202020202020202020202020202020202020202020202020202');

insert into metadata_count (queue_id, key, day, pair_hash, signups)
  values (2, 'plan', 1794700800000, '\x0101010101010101010101010101010101010101010101010101010101010101', 1);

insert into metadata_count (queue_id, key, day, pair_hash, signups)
  values (4, 'plan', 1794700800000, '\x0202020202020202020202020202020202020202020202020202020202020202', 1);

insert into saved_segment (queue_id, id, name, conditions, created_at, updated_at)
  values (2, '\x01010101010101010101010101010101', 'Testers', '\x0101010101010101010101010101010101010101010101010101010101010101', 1794735000000, 1794735000000);

insert into saved_segment (queue_id, id, name, conditions, created_at, updated_at)
  values (4, '\x02020202020202020202020202020202', 'Testers', '\x0202020202020202020202020202020202020202020202020202020202020202', 1794735000000, 1794735000000);

insert into wave (queue_id, id, name, plan, keep_open, until_joined, state, pause_reason, resumes_itself, accepted_before, next_at, run_at, invited, seats, checked_at, created_by, created_at, updated_at, finished_at)
  values (2, '\x01010101010101010101010101010101', 'Mornings', '\x0101010101010101010101010101010101010101010101010101010101010101', null, null, 'stopped', null, 0, 0, null, null, 0, '[]', 1794735000000, null, 1794735000000, 1794735000000, null);

insert into wave (queue_id, id, name, plan, keep_open, until_joined, state, pause_reason, resumes_itself, accepted_before, next_at, run_at, invited, seats, checked_at, created_by, created_at, updated_at, finished_at)
  values (4, '\x02020202020202020202020202020202', 'Mornings', '\x0202020202020202020202020202020202020202020202020202020202020202', null, null, 'stopped', null, 0, 0, null, null, 0, '[]', 1794735000000, null, 1794735000000, 1794735000000, null);

insert into wave_run (queue_id, wave_id, scheduled_at, started_at, finished_at, outcome, invited, unreadable, job_id)
  values (2, '\x01010101010101010101010101010101', 1794735000000, null, null, 'skipped', 0, '[]', null);

insert into wave_run (queue_id, wave_id, scheduled_at, started_at, finished_at, outcome, invited, unreadable, job_id)
  values (4, '\x02020202020202020202020202020202', 1794735000000, null, null, 'skipped', 0, '[]', null);

insert into job (queue_id, id, kind, input, progress, created_at, updated_at, finished_at, runner, done, total, outcome, error, result, created_by, subject, lease_token, lease_until, cancel_at)
  values (2, '\x01010101010101010101010101010101', 'import', '\x0101010101010101010101010101010101010101010101010101010101010101', '{}', 1794735000000, 1794735000000, null, 'command-line', 0, null, null, null, null, null, null, null, null, null);

insert into job (queue_id, id, kind, input, progress, created_at, updated_at, finished_at, runner, done, total, outcome, error, result, created_by, subject, lease_token, lease_until, cancel_at)
  values (4, '\x02020202020202020202020202020202', 'import', '\x0202020202020202020202020202020202020202020202020202020202020202', '{}', 1794735000000, 1794735000000, null, 'command-line', 0, null, null, null, null, null, null, null, null, null);

insert into import_chunk (queue_id, job_id, part, position, sealed)
  values (2, '\x01010101010101010101010101010101', 'file', 0, '\x0101010101010101010101010101010101010101010101010101010101010101');

insert into import_chunk (queue_id, job_id, part, position, sealed)
  values (4, '\x02020202020202020202020202020202', 'file', 0, '\x0202020202020202020202020202020202020202020202020202020202020202');

insert into import_code (queue_id, job_id, code_hash, seq)
  values (2, '\x01010101010101010101010101010101', '\x0101010101010101010101010101010101010101010101010101010101010101', 1);

insert into import_code (queue_id, job_id, code_hash, seq)
  values (4, '\x02020202020202020202020202020202', '\x0202020202020202020202020202020202020202020202020202020202020202', 1);

insert into import_link (queue_id, job_id, seq, kind, hash)
  values (2, '\x01010101010101010101010101010101', 2, 'email', '\x0101010101010101010101010101010101010101010101010101010101010101');

insert into import_link (queue_id, job_id, seq, kind, hash)
  values (4, '\x02020202020202020202020202020202', 2, 'email', '\x0202020202020202020202020202020202020202020202020202020202020202');

insert into import_range (queue_id, job_id, first_seq, last_seq)
  values (2, '\x01010101010101010101010101010101', 1, 2);

insert into import_range (queue_id, job_id, first_seq, last_seq)
  values (4, '\x02020202020202020202020202020202', 1, 2);

insert into referral_alias (queue_id, code_hash, seq)
  values (2, '\x0101010101010101010101010101010101010101010101010101010101010101', 1);

insert into referral_alias (queue_id, code_hash, seq)
  values (4, '\x0202020202020202020202020202020202020202020202020202020202020202', 1);

insert into operator_confirmation (queue_id, seq, source, said_by, said_at)
  values (2, 1, 'import', 'root', 1794735000000);

insert into operator_confirmation (queue_id, seq, source, said_by, said_at)
  values (4, 1, 'import', 'root', 1794735000000);

insert into invite (queue_id, id, code_hash, email_hash, sealed, created_at, expires_at, accepted_at, revoked_at, expired_at, remind_at, accept_key_hash, accept_answer, wave_id, wave_run)
  values (2, '\x01a1de8ac9c00000000e755acc714bbb', '\xc7f923552241f0590e258f78bce5a704688eb8c31cb08623be48731a18fcb067', '\x9ab55d6d40a93532365f257c2b0ce54aadaa375a5b69b0da1b9d41594a1b9994', '\x01f15cbb47135fda822a1f882f8aeb1f0ea1fad2811fe441f553d1b8f6cda50352aef45d336a397f2b0b1852fb02bd887a3838ed6a465ebdea200802ed0db905acee2a0958ac5b79a5caa65cb51931d251f136840185bebffea9914aa73805aa6b4626f939bdb9928bac6aa782a8be6558763bf3e54285', 1794735000000, null, 1794735000000, null, null, null, null, null, null, null);

insert into invite (queue_id, id, code_hash, email_hash, sealed, created_at, expires_at, accepted_at, revoked_at, expired_at, remind_at, accept_key_hash, accept_answer, wave_id, wave_run)
  values (2, '\x01a1de8ac9c0000000d58f5e9bd08754', '\xfe9e441360a4cc7dca29d96d2fe80974ce4215be3b1afaf944d2feb84de4e2cb', '\xb7785d8e9b866a3adecec079ce3a7a7c1b9f723cc36ded0af1c07bc5eaec9da5', '\x01f15cbb47135fda827bafbe51189265979affb047fe677c0ce5db6ba8b377f6e217373e0900afd3f4f7261c43e19948a9275ac9b6056f8eb77b335c8f92847fdd95e8aa538a766087569e33edb8061568ddefe8188a939a1c67fad7a1fac5e17d610bd47c4908303b86b48776315d76c9d786eff142', 1794735000000, 1794821400000, null, null, null, null, null, null, null, null);

insert into server_key (id, hash, hint, label, waitlist_id, environment, can_read, created_at, expires_at, revoked_at, last_used_at)
  values ('\x01a1de8ac9c052bea71c172c9469979a', '\x7804177653ae14be18f9266c7419c95511cbbe0b3a423bfbd4cfbe58fe0d4d12', '6nIa', '', 1, 'production', 1, 1794735000000, null, null, 1794735000000);

insert into server_key (id, hash, hint, label, waitlist_id, environment, can_read, created_at, expires_at, revoked_at, last_used_at)
  values ('\x01a1de8ac9c06289d2301ccb9898ad1a', '\x91b7b537fd97b194a3a190016d79b667cf3509c4b464cdf8caa0ee0850835938', '7BbB', '', 2, 'production', 1, 1794735000000, null, null, 1794735000000);

insert into gate_key (queue_id, id, hash, hint, name, secret, created_at, last_used_at)
  values (2, '\x01010101010101010101010101010101', '\x0101010101010101010101010101010101010101010101010101010101010101', 'x7Qa', '', null, 1794735000000, null);

insert into gate_key (queue_id, id, hash, hint, name, secret, created_at, last_used_at)
  values (4, '\x02020202020202020202020202020202', '\x0202020202020202020202020202020202020202020202020202020202020202', 'x7Qa', '', null, 1794735000000, null);

insert into mail_event_key (queue_id, id, hash, hint, name, secret, created_at, last_used_at, provider, topic)
  values (2, '\x01010101010101010101010101010101', '\x0101010101010101010101010101010101010101010101010101010101010101', 'x7Qa', '', null, 1794735000000, null, null, null);

insert into mail_event_key (queue_id, id, hash, hint, name, secret, created_at, last_used_at, provider, topic)
  values (4, '\x02020202020202020202020202020202', '\x0202020202020202020202020202020202020202020202020202020202020202', 'x7Qa', '', null, 1794735000000, null, null, null);

insert into webhook_endpoint (queue_id, id, sealed, events, rate_limit, rate_used_until, disabled_at, disabled_reason, failing_since, last_success_at, created_at, updated_at)
  values (2, '\x01010101010101010101010101010101', '\x0101010101010101010101010101010101010101010101010101010101010101', '', null, 0, 1794735000000, null, null, null, 1794735000000, 1794735000000);

insert into webhook_endpoint (queue_id, id, sealed, events, rate_limit, rate_used_until, disabled_at, disabled_reason, failing_since, last_success_at, created_at, updated_at)
  values (4, '\x02020202020202020202020202020202', '\x0202020202020202020202020202020202020202020202020202020202020202', '', null, 0, 1794735000000, null, null, null, 1794735000000, 1794735000000);

insert into event (queue_id, id, kind, body, created_at)
  values (2, '\x01010101010101010101010101010101', 'signup.created', '\x0101010101010101010101010101010101010101010101010101010101010101', 1794735000000);

insert into event (queue_id, id, kind, body, created_at)
  values (2, '\x01a1de8ac9c0000000063c6582369c43', 'email.invite', '\x01f15cbb47135fda8265d043c5aa84f03b2411b4f519249c07c128aee149f38b223face11f195d889567ec8a3fc11a766410bd433e8f781cf9743e69848acd955a5b63049b48d904e97326a95da93bb04d631ea8a3caf90a90f22f18b70ec079545b79bd3e3af0b9b84a3b0e654ea96fc1d16a56aee8f75d0d63c95d7994cf5ec32be4ff35dd793b3f6157e30a98caa906e11d1ddb1104b0cfae17016e5e022936b205ef439efb5d724f1603b864e51f3b6f0ffd9ae8014714f0e02ec247369ed90743a9c31a4730c892680032afb0e4eefbfc8581d259466c30c2aaa11458d1391a2cdf03a6f753a8d9871451af0e62d3ce4ce4b2b8354c44a1ef8f4960f5dca31dfe45fdea897ab3bbeb0711ee5744648a19729c3ab288282c3e7d016595282eaab9cc45355fa5226d30905cfed62ebcbad714482474e79f5a67a5de84b0b05eb78a8dcc5ac82837454b46447e6591f9de56d6e27a1c204dc4a6dbbf1d3ecfacec593f174bd339589387e8773da2834f9cb67473ce1e3db26a574234004d9c76aa060b0f188c926ee8c897aa7f1b8ce9e084c24fc2d4c2964163a5145a33c0d4ccfd23e3c9c21c3968bb093bf1fadc38c33d41f27976f0a5cea5', 1794735000000);

insert into event (queue_id, id, kind, body, created_at)
  values (2, '\x01a1de8ac9c0000000f6c1ded83081df', 'email.invite', '\x01f15cbb47135fda829ed0a54c41a672dae9c3ab2b2cc51276369f328f0352e4f4b7b560fa2a7327c6a261f9c581e28f881fd878f3285b4c2ff3ebe1eff2ec847f6e40f3a071634cde753da7e48ad099596616d2fea9633c9b45b4e99f39455e239260b9798786e088f8c477d1046223bb61552fadc7d5b147b111aab1becd763093d8dfc6c982e8e0249822fedd882a7e294740f8b38e3025e81a5841d070e59a43eae0ea1ce0ca161ac43e3bed2365e90cdfd4abda6e7312186b11dafa839753da45fdfa30087736754d9d3a426ee76e69ac7830e1d9430fa1bc985d425fbcbb2dbf6e91d16238561920a1b26efd30d6dbe8331ad9cbe23439b4f4197cca2f54a2acbd0ad9a2b506bb7535105d51ac5e509f462eb6dd8d11443bd07e66aa80b36e3b5efdc45c69e80efdd95ba8e1f4ad63db7c3cb6762ecf4e5d6b869c04619bf2fd511a967e40927fdb79faddd01116f90ab59c0600a08f4a50437228577377a7ccbde591d79cec0e71746066d957adfd06ef4916d9f8a834416e67641dfdabde941c7e63637de68af29087f5d7febf87af2a4fb141e9e71bc0144e27702e9765af5f6113b830f06f973e54613edb8d9206fb66458c5140789fed13643e0b58561c', 1794735000000);

insert into event (queue_id, id, kind, body, created_at)
  values (4, '\x02020202020202020202020202020202', 'signup.created', '\x0202020202020202020202020202020202020202020202020202020202020202', 1794735000000);

insert into event_subject (queue_id, subject, event_id)
  values (2, '\x01010101010101010101010101010101', '\x01010101010101010101010101010101');

insert into event_subject (queue_id, subject, event_id)
  values (2, '\x01a1de8ac9c00000000e755acc714bbb', '\x01a1de8ac9c0000000063c6582369c43');

insert into event_subject (queue_id, subject, event_id)
  values (2, '\x01a1de8ac9c0000000d58f5e9bd08754', '\x01a1de8ac9c0000000f6c1ded83081df');

insert into event_subject (queue_id, subject, event_id)
  values (2, '\x01a1de8ac9c0a69140a077420df5db4b', '\x01a1de8ac9c0000000063c6582369c43');

insert into event_subject (queue_id, subject, event_id)
  values (2, '\x01a1de8ac9c0de91a6c1f75648297fc0', '\x01a1de8ac9c0000000f6c1ded83081df');

insert into event_subject (queue_id, subject, event_id)
  values (2, '\x9ab55d6d40a93532365f257c2b0ce54aadaa375a5b69b0da1b9d41594a1b9994', '\x01a1de8ac9c0000000063c6582369c43');

insert into event_subject (queue_id, subject, event_id)
  values (2, '\xb7785d8e9b866a3adecec079ce3a7a7c1b9f723cc36ded0af1c07bc5eaec9da5', '\x01a1de8ac9c0000000f6c1ded83081df');

insert into event_subject (queue_id, subject, event_id)
  values (4, '\x02020202020202020202020202020202', '\x02020202020202020202020202020202');

insert into delivery (queue_id, channel, target_id, event_id, due_at, token, tries, attempts, delivered_at, failed_at)
  values (2, 'email', '\x6d61696c', '\x01a1de8ac9c0000000063c6582369c43', 1794735000000, null, 0, 0, null, null);

insert into delivery (queue_id, channel, target_id, event_id, due_at, token, tries, attempts, delivered_at, failed_at)
  values (2, 'email', '\x6d61696c', '\x01a1de8ac9c0000000f6c1ded83081df', 1794735000000, null, 0, 0, null, null);

insert into delivery (queue_id, channel, target_id, event_id, due_at, token, tries, attempts, delivered_at, failed_at)
  values (2, 'webhook', '\x01010101010101010101010101010101', '\x01010101010101010101010101010101', null, null, 0, 0, 1794735000000, null);

insert into delivery (queue_id, channel, target_id, event_id, due_at, token, tries, attempts, delivered_at, failed_at)
  values (4, 'webhook', '\x02020202020202020202020202020202', '\x02020202020202020202020202020202', null, null, 0, 0, 1794735000000, null);

insert into delivery_attempt (queue_id, channel, target_id, event_id, attempt, at, duration_ms, status, error, response)
  values (2, 'webhook', '\x01010101010101010101010101010101', '\x01010101010101010101010101010101', 1, 1794735000000, 5, 200, null, null);

insert into delivery_attempt (queue_id, channel, target_id, event_id, attempt, at, duration_ms, status, error, response)
  values (4, 'webhook', '\x02020202020202020202020202020202', '\x02020202020202020202020202020202', 1, 1794735000000, 5, 200, null, null);

insert into delivery_stat (queue_id, channel, target_id, hour, delivered, kept, failed, retried)
  values (2, 'webhook', '\x01010101010101010101010101010101', 0, 1, 0, 0, 0);

insert into delivery_stat (queue_id, channel, target_id, hour, delivered, kept, failed, retried)
  values (4, 'webhook', '\x02020202020202020202020202020202', 0, 1, 0, 0, 0);

insert into mail_part (waitlist_id, part, version, content, created_at)
  values (1, 'invite', 1, '{}', 1794735000000);

insert into mail_part (waitlist_id, part, version, content, created_at)
  values (2, 'invite', 1, '{}', 1794735000000);

insert into waitlist_picture (waitlist_id, digest, type, content, created_at)
  values (1, 'ab', 'image/png', '\x0101010101010101010101010101010101010101010101010101010101010101', 1794735000000);

insert into waitlist_picture (waitlist_id, digest, type, content, created_at)
  values (2, 'ab', 'image/png', '\x0202020202020202020202020202020202020202020202020202020202020202', 1794735000000);

insert into mail_suppression (queue_id, email_hash, reason, created_at)
  values (2, '\x0101010101010101010101010101010101010101010101010101010101010101', 'bounced', 1794735000000);

insert into mail_suppression (queue_id, email_hash, reason, created_at)
  values (4, '\x0202020202020202020202020202020202020202020202020202020202020202', 'bounced', 1794735000000);

insert into mail_soft_bounce (queue_id, email_hash, day)
  values (2, '\x0101010101010101010101010101010101010101010101010101010101010101', 20000);

insert into mail_soft_bounce (queue_id, email_hash, day)
  values (4, '\x0202020202020202020202020202020202020202020202020202020202020202', 20000);

insert into mail_event_seen (queue_id, report_hash, expires_at)
  values (2, '\x0101010101010101010101010101010101010101010101010101010101010101', 1794735000000);

insert into mail_event_seen (queue_id, report_hash, expires_at)
  values (4, '\x0202020202020202020202020202020202020202020202020202020202020202', 1794735000000);

insert into mail_sending (queue_id, bounce_limit, complaint_limit, paused_at, resumed_at, pause_reason, review_at, counted_from, sent_before, warm_up_start, warm_up_to, warm_up_number, warm_up_day, warm_up_taken)
  values (2, 1000, 50, 1794735000000, null, 'bounces', null, null, 0, null, null, 0, 0, 0);

insert into mail_sending (queue_id, bounce_limit, complaint_limit, paused_at, resumed_at, pause_reason, review_at, counted_from, sent_before, warm_up_start, warm_up_to, warm_up_number, warm_up_day, warm_up_taken)
  values (4, 1000, 50, 1794735000000, null, 'bounces', null, null, 0, null, null, 0, 0, 0);

insert into mail_pause (name, error, answer, since, tried_at)
  values ('mail server', 'refused', null, 1794735000000, 1794735000000);

insert into mail_pause (name, error, answer, since, tried_at)
  values ('sender', 'refused', null, 1794735000000, 1794735000000);

insert into form (queue_id, form_key, enabled, settings, captcha_secret, created_at, updated_at)
  values (2, 'dlf_1', 1, '{}', '\x0101010101010101010101010101010101010101010101010101010101010101', 1794735000000, 1794735000000);

insert into form (queue_id, form_key, enabled, settings, captcha_secret, created_at, updated_at)
  values (4, 'dlf_2', 1, '{}', '\x0202020202020202020202020202020202020202020202020202020202020202', 1794735000000, 1794735000000);

insert into form_spent (queue_id, token_hash, email_hash, expires_at)
  values (2, '\x0101010101010101010101010101010101010101010101010101010101010101', '\x0101010101010101010101010101010101010101010101010101010101010101', 1794735000000);

insert into form_spent (queue_id, token_hash, email_hash, expires_at)
  values (4, '\x0202020202020202020202020202020202020202020202020202020202020202', '\x0202020202020202020202020202020202020202020202020202020202020202', 1794735000000);

insert into form_refusal (queue_id, slot, reason, refused)
  values (2, 1794735000000, 'honeypot', 3);

insert into form_refusal (queue_id, slot, reason, refused)
  values (4, 1794735000000, 'honeypot', 3);

insert into form_blocked_origin (queue_id, origin, attempts, last_at)
  values (2, 'https://a.example', 1, 1794735000000);

insert into form_blocked_origin (queue_id, origin, attempts, last_at)
  values (4, 'https://a.example', 1, 1794735000000);

insert into form_mail (queue_id, day, email_hash, mails)
  values (2, 1794735000000, '\x0101010101010101010101010101010101010101010101010101010101010101', 1);

insert into form_mail (queue_id, day, email_hash, mails)
  values (4, 1794735000000, '\x0202020202020202020202020202020202020202020202020202020202020202', 1);

insert into form_visit (queue_id, visitor_hash, place, expires_at, link)
  values (2, '\x0101010101010101010101010101010101010101010101010101010101010101', 3, 1794735000000, null);

insert into form_visit (queue_id, visitor_hash, place, expires_at, link)
  values (4, '\x0202020202020202020202020202020202020202020202020202020202020202', 3, 1794735000000, null);

insert into form_referral (queue_id, link, seq)
  values (2, '\x0101010101010101010101010101010101010101010101010101010101010101', 2);

insert into form_referral (queue_id, link, seq)
  values (4, '\x0202020202020202020202020202020202020202020202020202020202020202', 2);

insert into referral_source (queue_id, slot, referrer_seq, network_hash, signups)
  values (2, 1794735000000, 1, '\x0101010101010101010101010101010101010101010101010101010101010101', 2);

insert into referral_source (queue_id, slot, referrer_seq, network_hash, signups)
  values (4, 1794735000000, 1, '\x0202020202020202020202020202020202020202020202020202020202020202', 2);

insert into referral_review (queue_id, id, seq, referrer_seq, created_at, decision, decided_at)
  values (2, '\x01010101010101010101010101010101', 2, 1, 1794735000000, null, null);

insert into referral_review (queue_id, id, seq, referrer_seq, created_at, decision, decided_at)
  values (4, '\x02020202020202020202020202020202', 2, 1, 1794735000000, null, null);

insert into repeated_request (queue_id, key_hash, request_hash, answer, created_at)
  values (2, '\x0101010101010101010101010101010101010101010101010101010101010101', '\x0101010101010101010101010101010101010101010101010101010101010101', null, 1794735000000);

insert into repeated_request (queue_id, key_hash, request_hash, answer, created_at)
  values (4, '\x0202020202020202020202020202020202020202020202020202020202020202', '\x0202020202020202020202020202020202020202020202020202020202020202', null, 1794735000000);

insert into operator (id, email_hash, profile, role, password, totp, totp_pending, totp_step, created_at)
  values ('\x01010101010101010101010101010101', '\x0101010101010101010101010101010101010101010101010101010101010101', '\x0101010101010101010101010101010101010101010101010101010101010101', 'owner', null, null, null, 0, 1794735000000);

insert into operator (id, email_hash, profile, role, password, totp, totp_pending, totp_step, created_at)
  values ('\x02020202020202020202020202020202', '\x0202020202020202020202020202020202020202020202020202020202020202', '\x0202020202020202020202020202020202020202020202020202020202020202', 'owner', null, null, null, 0, 1794735000000);

insert into operator_session (id, secret_hash, operator_id, client, created_at, seen_at, expires_at)
  values ('\x01010101010101010101010101010101', '\x0101010101010101010101010101010101010101010101010101010101010101', '\x01010101010101010101010101010101', '\x0101010101010101010101010101010101010101010101010101010101010101', 1794735000000, 1794735000000, 1794735000000);

insert into operator_session (id, secret_hash, operator_id, client, created_at, seen_at, expires_at)
  values ('\x02020202020202020202020202020202', '\x0202020202020202020202020202020202020202020202020202020202020202', '\x02020202020202020202020202020202', '\x0202020202020202020202020202020202020202020202020202020202020202', 1794735000000, 1794735000000, 1794735000000);

insert into operator_link (token_hash, operator_id, kind, created_at, expires_at, created_by, max_role)
  values ('\x0101010101010101010101010101010101010101010101010101010101010101', '\x01010101010101010101010101010101', 'reset', 1794735000000, 1794735000000, null, 'owner');

insert into operator_link (token_hash, operator_id, kind, created_at, expires_at, created_by, max_role)
  values ('\x0202020202020202020202020202020202020202020202020202020202020202', '\x02020202020202020202020202020202', 'reset', 1794735000000, 1794735000000, null, 'owner');

insert into recovery_code (operator_id, code_hash)
  values ('\x01010101010101010101010101010101', '\x0101010101010101010101010101010101010101010101010101010101010101');

insert into recovery_code (operator_id, code_hash)
  values ('\x02020202020202020202020202020202', '\x0202020202020202020202020202020202020202020202020202020202020202');

insert into passkey (id, operator_id, credential_hash, sealed, counter, created_at, last_used_at)
  values ('\x01010101010101010101010101010101', '\x01010101010101010101010101010101', '\x0101010101010101010101010101010101010101010101010101010101010101', '\x0101010101010101010101010101010101010101010101010101010101010101', 1, 1794735000000, null);

insert into passkey (id, operator_id, credential_hash, sealed, counter, created_at, last_used_at)
  values ('\x02020202020202020202020202020202', '\x02020202020202020202020202020202', '\x0202020202020202020202020202020202020202020202020202020202020202', '\x0202020202020202020202020202020202020202020202020202020202020202', 1, 1794735000000, null);

insert into used_challenge (challenge_hash, expires_at)
  values ('\x0101010101010101010101010101010101010101010101010101010101010101', 1794735000000);

insert into used_challenge (challenge_hash, expires_at)
  values ('\x0202020202020202020202020202020202020202020202020202020202020202', 1794735000000);

insert into admin_token (id, token_hash, hint, name, role, created_at, expires_at, revoked_at, last_used_at, created_by)
  values ('\x01010101010101010101010101010101', '\x0101010101010101010101010101010101010101010101010101010101010101', 'abcd', 'ci', 'viewer', 1794735000000, null, null, null, null);

insert into admin_token (id, token_hash, hint, name, role, created_at, expires_at, revoked_at, last_used_at, created_by)
  values ('\x02020202020202020202020202020202', '\x0202020202020202020202020202020202020202020202020202020202020202', 'abcd', 'ci', 'viewer', 1794735000000, null, null, null, null);

insert into audit (seq, at, action, actor, object, details, hash)
  values (1, 1794735000000, 'token.created', 'command-line', null, '\x0101010101010101010101010101010101010101010101010101010101010101', '\x0101010101010101010101010101010101010101010101010101010101010101');

insert into audit (seq, at, action, actor, object, details, hash)
  values (2, 1794735000000, 'token.created', 'command-line', null, '\x0202020202020202020202020202020202020202020202020202020202020202', '\x0202020202020202020202020202020202020202020202020202020202020202');

insert into audit_head (id, seq, hash, seal, start_seq, start_hash, start_seal)
  values (1, 2, '\x0202020202020202020202020202020202020202020202020202020202020202', null, 0, null, null);

insert into health_confirmation (name, key_id, confirmed_at)
  values ('backup', null, 1794735000000);

insert into health_confirmation (name, key_id, confirmed_at)
  values ('master key', null, 1794735000000);

insert into health_state (name, what, failing, since, told)
  values ('disk', 'disk', 1, 1794735000000, 0);

insert into health_state (name, what, failing, since, told)
  values ('queue', 'disk', 1, 1794735000000, 0);

select setval(pg_get_serial_sequence('waitlist', 'id'), max(id)) from waitlist;

select setval(pg_get_serial_sequence('queue', 'id'), max(id)) from queue;
