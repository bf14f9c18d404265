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
    link bytea not null,
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
  values (1, '\x6713e4288445b6e4', '\x016713e4288445b6e4b5046ff090396c43030a823a7e19de7cd1af9ccb71de05a5fab64700ed344124f727c3e55d21f95b9b1ef5ab7b738284a70a355850017149af1658b42facc4c3c0', 5, 1794735000000, 0, 0, null, null, '\x016713e4288445b6e445d18c74d17fc3220648afdab486c9f84f3d8bf831f6e5dc90e7ab852a94fe3dac224978b866a3281086d6931465c65b80ba05344d1fe039f5243011e957527411a85db8051b2d6f0bdb3c2f8ab1b80082a22c44e6d652aee6c221781e71856cb9ce6f47290bc7b4', 'UTC', null, null);

insert into environment (name, created_at)
  values ('development', 1794735000000);

insert into environment (name, created_at)
  values ('production', 1794735000000);

insert into waitlist (id, public_id, name, boost, referral_cap, invite_expiry_ms, expired_stay_invited, confirm_emails, mail_kinds, mail_version, invite_reminder_ms, metadata_keys, first_steps_dismissed, unsettled, closed_at, created_at, deleted_at) overriding system value
  values (1, 'wl_07274044f1', 'Acme', 5, null, null, 0, 0, 'confirm,invite', 0, 86400000, '[]', 0, null, null, 1794735000000, null);

insert into waitlist (id, public_id, name, boost, referral_cap, invite_expiry_ms, expired_stay_invited, confirm_emails, mail_kinds, mail_version, invite_reminder_ms, metadata_keys, first_steps_dismissed, unsettled, closed_at, created_at, deleted_at) overriding system value
  values (2, 'wl_2517202279', 'Other', 5, null, null, 0, 0, 'confirm,invite', 0, 86400000, '[]', 0, null, null, 1794735000000, null);

insert into queue (id, waitlist_id, environment, code_tag, wrapped_keys, created_at) overriding system value
  values (1, 1, 'development', 'w093p1', '\x016713e4288445b6e4d534c13101e017bd3f1501435d6eb462b6995b810679e00bef6c3a81fd7c6c7f971c1309b9fe568d167b8ea63bc1973ac90e7a80eb8c2b1254c0bfdbd69220f082d7caa17dc2692f22a33946b0ece93a58dfa3cc925eb300275f69d308c1acf7932490d1616c2fda', 1794735000000);

insert into queue (id, waitlist_id, environment, code_tag, wrapped_keys, created_at) overriding system value
  values (2, 1, 'production', '28d5ms', '\x016713e4288445b6e4297efb02e9a14e03db04c0bb4515b79dbcc3371844c5c0e5e935da8d32452b648f89e5fc9277b0220365d37e58c805bac472d0e9e8a6c8061a7978eb12cb1a064b722fe1e58fe6b5efc9f3e94e944776a7250bc4570f0de05a5785306b1d1b3649ad23bdbdaa5ac4', 1794735000000);

insert into queue (id, waitlist_id, environment, code_tag, wrapped_keys, created_at) overriding system value
  values (3, 2, 'development', '6frp4g', '\x016713e4288445b6e49cca10ffae143fb58fd75d95a80e718c711ad2d2071e24da19c817a694239a1d74960babebfd226316b4f39d196c17d94b5355216d9124e1ccb45204f7f50e2ba9600cebba9f23fc47d59c1694d44332417e64437c5d72438a17a504b7083cb39e08a7488678baa9', 1794735000000);

insert into queue (id, waitlist_id, environment, code_tag, wrapped_keys, created_at) overriding system value
  values (4, 2, 'production', 'vekc75', '\x016713e4288445b6e47e05e7d98f0fee5744f2134f33139f482708016fbd4f1ed6076e9e1d68c9104dd6a09d89bd6f444b3ce9428163207d6def5968aadb548c7bbca26e60fe7c5eca23492443e6c58fbb02fd298d4d10216112e7fe37a4e1c14e5ceeaf5301e155691a555ad6a11bda85', 1794735000000);

insert into queue_state (queue_id, last_seq, pending, waiting, invited, joined, removed, next_expiry, next_reminder, rerank_after, listens, undone, closed, opened, close_after, open_invites, accepted_invites)
  values (1, 0, 0, 0, 0, 0, 0, null, null, null, '', 0, 0, 0, null, 0, 0);

insert into queue_state (queue_id, last_seq, pending, waiting, invited, joined, removed, next_expiry, next_reminder, rerank_after, listens, undone, closed, opened, close_after, open_invites, accepted_invites)
  values (2, 4, 0, 2, 1, 1, 0, 1794821400000, null, null, '', 0, 0, 0, null, 1, 1);

insert into queue_state (queue_id, last_seq, pending, waiting, invited, joined, removed, next_expiry, next_reminder, rerank_after, listens, undone, closed, opened, close_after, open_invites, accepted_invites)
  values (3, 0, 0, 0, 0, 0, 0, null, null, null, '', 0, 0, 0, null, 0, 0);

insert into queue_state (queue_id, last_seq, pending, waiting, invited, joined, removed, next_expiry, next_reminder, rerank_after, listens, undone, closed, opened, close_after, open_invites, accepted_invites)
  values (4, 1, 0, 1, 0, 0, 0, null, null, null, '', 0, 0, 0, null, 0, 0);

insert into entry (queue_id, seq, closed, opened, id, status, rank, referrals, moved, referrer_seq, credited, person, email_hash, phone_hash, mailbox_hash, created_at, invited_at, joined_at, removed_at, removed_from, confirmed_at, depth)
  values (2, 1, 0, 0, '\x01a1de8ac9c0221e9dd672bfb81f2285', 'waiting', -4, 1, 0, null, 0, '\x015eb50280bf27b0a5d7c1ab569d26b59276c380350293768196be0de19048edef4a9fb7c690afc4aaecaff58e2e7faa9b4e77fcb5eb54b7e78b36eb2fbfef74709caa807d4e360c7a357b3d88b4e844a7f7f6ae1a175fa5158f54878bffd42ff149c80c65d9f12a32d555c1814ff418368154', '\x6b6756db477f4e66df0f4a3e412c561fa08f69dd1164e2de8622efdade3311dd', null, null, 1794735000000, null, null, null, null, null, 0);

insert into entry (queue_id, seq, closed, opened, id, status, rank, referrals, moved, referrer_seq, credited, person, email_hash, phone_hash, mailbox_hash, created_at, invited_at, joined_at, removed_at, removed_from, confirmed_at, depth)
  values (2, 2, 0, 0, '\x01a1de8ac9c06f118637eb4b6d5c2cdd', 'invited', 2, 0, 0, 1, 1, '\x015eb50280bf27b0a510c232b98696bff895b22b3b069054926f3e27199f881862025ae111f33f8c86cf33b01cc87fc6e4cbec1a8e9a689d4f3468d64e0b213be63729cc9e38819dee404f208a7d23f84d28073613e7b4d81e3b115ea7cb8b4353ec67f364500407f0', '\x8e703d1b8f4aeec90294915b4a2c6f7c4cea753a789fd536df0c84ca63244c6f', null, null, 1794735000000, 1794735000000, null, null, null, null, 1);

insert into entry (queue_id, seq, closed, opened, id, status, rank, referrals, moved, referrer_seq, credited, person, email_hash, phone_hash, mailbox_hash, created_at, invited_at, joined_at, removed_at, removed_from, confirmed_at, depth)
  values (2, 3, 0, 0, '\x01a1de8ac9c097d79ac134201826a0ba', 'waiting', 3, 0, 0, null, 0, '\x015eb50280bf27b0a5eb3310fe895c2eec9e8f46a6de22a017bcda778cb6102b00e2c609a6be62caa436be5ba597c9818a1eafd7aebf2b500ac6f0d29793c6afa43e5dfda1f4392a37823a042860c378f801ac2839d37fc88a7a88860cc058df3f644d25c166f1c9', null, '\x02ec4105a938e87fd9edd1e433d72652c1968c67bf7aca96922117a129002ecc', null, 1794735000000, null, null, null, null, null, 0);

insert into entry (queue_id, seq, closed, opened, id, status, rank, referrals, moved, referrer_seq, credited, person, email_hash, phone_hash, mailbox_hash, created_at, invited_at, joined_at, removed_at, removed_from, confirmed_at, depth)
  values (2, 4, 0, 0, '\x01a1de8ac9c04642820aa909ef7a3332', 'joined', 4, 0, 0, null, 0, '\x015eb50280bf27b0a590e59f532228e1ad3fddaefdc67ddbd86bd2b83edba82572cabe1c266628bfbb9dc092bed48e504dbd32f0898b2cc1ce22760737ff5a3595e40882a8486823b3cb19d10dc77ee894f270d814f1b45949d113ae121bca8cc4cac86f7966366ad8e2', '\xc3afd074fe22e0372571b0d5d0e804dd83ea45353e6270a82430a63281c972c3', null, null, 1794735000000, 1794735000000, 1794735000000, null, null, null, 0);

insert into entry (queue_id, seq, closed, opened, id, status, rank, referrals, moved, referrer_seq, credited, person, email_hash, phone_hash, mailbox_hash, created_at, invited_at, joined_at, removed_at, removed_from, confirmed_at, depth)
  values (4, 1, 0, 0, '\x01a1de8ac9c0d7d4163ae0428975193a', 'waiting', 1, 0, 0, null, 0, '\x01874d0be01d6357847243179b609d2a22266adb88bed91188442ab9dc351531d43036c7e84cf7470c082923d61386e42d845960e13c65393715523590fee2fb4acedba27a86b8f941c6f634a3003f2806b70ce4da2e75172dd4d2e984970445abafcb015f56a04c71128130aab5bb64a5b221d0', '\x644a138c3071c127cd32ed010c76702d2582174ebc47d9967ac1fe5e38a4419c', null, null, 1794735000000, null, null, null, null, null, 0);

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
  values (2, '\xf3166557a22008391f72a3f7ea4e2d628773b5335e531fa056b115cac41401e7', 1);

insert into metadata_pair (queue_id, pair_hash, seq)
  values (4, '\xff5d1aeca292aef6dbf54f869a542f0c0b53e81d1d1cbb97e058c259fd18d7c5', 1);

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
  values (2, '\x01a1de8ac9c00000005ca9fb51ad3ff4', '\x29167aff965fbab949c226258ef333cd6746567cb83469ededcc4b871b3d33db', '\x8e703d1b8f4aeec90294915b4a2c6f7c4cea753a789fd536df0c84ca63244c6f', '\x015eb50280bf27b0a5d97964a73b83ec6184f09a85194e0dee6df28d6582eb401fc5c11f4f139a6e177ff411708d1c3b9b548dca0bd764470b93fd09458d5e576d3c0030b0ecb058c47b5c9c93ea7bbdcc07bdaeb160eab5a19f13bd07d4d685642fcc16e38653109c34cba532ddf113a647875aff34', 1794735000000, 1794821400000, null, null, null, null, null, null, null, null);

insert into invite (queue_id, id, code_hash, email_hash, sealed, created_at, expires_at, accepted_at, revoked_at, expired_at, remind_at, accept_key_hash, accept_answer, wave_id, wave_run)
  values (2, '\x01a1de8ac9c00000009c39b05542fd6f', '\xa16c2ecca3f401c69b9cb8f39e8a3e2c3daf64fbc8687597f188c566760aefb3', '\xc3afd074fe22e0372571b0d5d0e804dd83ea45353e6270a82430a63281c972c3', '\x015eb50280bf27b0a5cc2a9fcf98f112038d9936f097c4bf587fe5d22f7278f4c1f9ca35f759ef0e052ea10f58e1a788914c70ab1d7bc18573504b6851a3233c8a209c652ad420512119633e197b2ec6624f7e325d56fb4cd264c061f2afc0f66108209d753396a50b914f00e808e028064d1b38450356', 1794735000000, null, 1794735000000, null, null, null, null, null, null, null);

insert into server_key (id, hash, hint, label, waitlist_id, environment, can_read, created_at, expires_at, revoked_at, last_used_at)
  values ('\x01a1de8ac9c004345f4f5e4315adc516', '\xff0cb22c969234ab0270f45c2f731df8cf93e991335f5eb7172b4dfa2accb89d', 'gPEy', '', 2, 'production', 1, 1794735000000, null, null, 1794735000000);

insert into server_key (id, hash, hint, label, waitlist_id, environment, can_read, created_at, expires_at, revoked_at, last_used_at)
  values ('\x01a1de8ac9c06abf7838ba1a616e5a93', '\x7aacc8c6c0eb2a41eccd5b908e4b1fe27f1834090f8b915d14ac71ab3d74355d', 'zlXH', '', 1, 'production', 1, 1794735000000, null, null, 1794735000000);

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
  values (2, '\x01a1de8ac9c0000000197e09d0d6dec9', 'email.invite', '\x015eb50280bf27b0a50fb6eb2c8772a56a9c19703b3b3324938401c5a266c15da549dc2e96b4843616186942fad9900f8cd4da3246402af0659b33bb6efc695fccadf66dbd9604bbd5937e1cbdabf86eecdbc040bc6baff9f0c6e94775c326de3462858a233bc1ac745d63296615254b99bbd149ae223b231ab9a53c5a23e72a1cc5f128e389cebc987f65507c47de3adf37967aaaad8dfc40dbfcc8b21f742cfb837b5197537c4b2fdab7b18f4bf33379c28ca810cd15c810cbe9a975f7279a6206035fc5b7dbbc0b01237e7812812db6a7cb53ba8d6717e28324a7858326584cae9aab2bc2b0cec0d9ee1f63002ae3276ac34a2e2cf6a4913c94b6ba82dbdbde5b93d10c5879163084228150fc024083579e11510a46bda66e7c7c92ad6ecca8e8cbf5dc37242fbed00badf627751147d13098230b5ca47dc192327330abae9b18e4a6d2431c7222256c99eaed58c2b64f5672573a7ae49e1d002cc07f1b2e839000a5a97c9bcf09d2356c8e3a283d4ee80f90fe4def273c186095bbe9cb616062f796d0f7c3b33abecbf20726b1af91f4a8ad65f3d026cbf110ec0b821249058e4a1991e8a4b55d56265e3c3f0587b9ac7d64df91ded1454a4e', 1794735000000);

insert into event (queue_id, id, kind, body, created_at)
  values (2, '\x01a1de8ac9c00000008c97fb768bb7de', 'email.invite', '\x015eb50280bf27b0a54e17a9c987d4c1b6c5b81d776fc80ffdad4117c500657ba48932390ee5a2d97a8fea362dce193292deb9ee3c059af2d583bead57955bfe79f9e866dec2c5b66c6de0e34f3afe51db7f95ce529157a841505bd2fa67dd8ae0a9ab89c610192919566f7b4765702385d3151c47e05db44896db4e38ec7f0217157dca3ed4f711242669f9a7a3f0868d8489999af4b77b8833045702b9eb36e2da8a49c243773216813b283a6bc1679f1d27ab30c2546f94d9c8be23aec98053f39ebc97a07776023d65b79e91d5b80299ff032c5b4334826296d955ef5dba6ce438955d1206da1b56cbb2b0348a7a00031fd1ad3689b36e234bc58daa57f4ae31249e1869d5659fd8f3c4b9a6cfc67d636cb0975106063e925c47d8211aeb7237bd76d36105d2e7c82d405a9633aa5e573cb8c7626bac9fb49bd192df2a7f22c640e11be98277cc19c92aafe1c9eb48593707794000050ba0bba5782a17824c0d03c6c404cc678294e1cfd78648cb7c9c477ba3c8ca1a4099e739b28530e708fc7fc331c30aa7b4f56d5e71dc78fbd61433d56b9d12214d4bdafc3190da254c65f30425a66f9210b34b488c23e5f402084d10a37ac6747d8c589471868599bec3a2', 1794735000000);

insert into event (queue_id, id, kind, body, created_at)
  values (4, '\x02020202020202020202020202020202', 'signup.created', '\x0202020202020202020202020202020202020202020202020202020202020202', 1794735000000);

insert into event_subject (queue_id, subject, event_id)
  values (2, '\x01010101010101010101010101010101', '\x01010101010101010101010101010101');

insert into event_subject (queue_id, subject, event_id)
  values (2, '\x01a1de8ac9c00000005ca9fb51ad3ff4', '\x01a1de8ac9c00000008c97fb768bb7de');

insert into event_subject (queue_id, subject, event_id)
  values (2, '\x01a1de8ac9c00000009c39b05542fd6f', '\x01a1de8ac9c0000000197e09d0d6dec9');

insert into event_subject (queue_id, subject, event_id)
  values (2, '\x01a1de8ac9c04642820aa909ef7a3332', '\x01a1de8ac9c0000000197e09d0d6dec9');

insert into event_subject (queue_id, subject, event_id)
  values (2, '\x01a1de8ac9c06f118637eb4b6d5c2cdd', '\x01a1de8ac9c00000008c97fb768bb7de');

insert into event_subject (queue_id, subject, event_id)
  values (2, '\x8e703d1b8f4aeec90294915b4a2c6f7c4cea753a789fd536df0c84ca63244c6f', '\x01a1de8ac9c00000008c97fb768bb7de');

insert into event_subject (queue_id, subject, event_id)
  values (2, '\xc3afd074fe22e0372571b0d5d0e804dd83ea45353e6270a82430a63281c972c3', '\x01a1de8ac9c0000000197e09d0d6dec9');

insert into event_subject (queue_id, subject, event_id)
  values (4, '\x02020202020202020202020202020202', '\x02020202020202020202020202020202');

insert into delivery (queue_id, channel, target_id, event_id, due_at, token, tries, attempts, delivered_at, failed_at)
  values (2, 'email', '\x6d61696c', '\x01a1de8ac9c0000000197e09d0d6dec9', 1794735000000, null, 0, 0, null, null);

insert into delivery (queue_id, channel, target_id, event_id, due_at, token, tries, attempts, delivered_at, failed_at)
  values (2, 'email', '\x6d61696c', '\x01a1de8ac9c00000008c97fb768bb7de', 1794735000000, null, 0, 0, null, null);

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
  values (2, '\x0101010101010101010101010101010101010101010101010101010101010101', 3, 1794735000000, '\x01010101010101010101010101010101');

insert into form_visit (queue_id, visitor_hash, place, expires_at, link)
  values (4, '\x0202020202020202020202020202020202020202020202020202020202020202', 3, 1794735000000, '\x02020202020202020202020202020202');

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
