create table schema_version (version bigint not null, release text);

insert into schema_version (version) values (0);

create table instance (
    id integer primary key check (id = 1),
    master_key_id blob not null,
    master_key_check blob not null,
    settings_version integer not null,
    created_at integer not null,
    erasures integer not null default 0,
    erasures_wiped integer not null default 0,
    public_url text,
    mail_from text,
    installation_keys blob,
    default_time_zone text not null default 'UTC',
    backup_at integer,
    alerts blob
  ) strict;

create table environment (
    name text primary key,
    created_at integer not null
  ) strict;

create table operator (
    id blob primary key,
    email_hash blob not null unique,
    profile blob not null,
    role text not null check (role in ('owner', 'admin', 'support', 'viewer')),
    password text,
    totp blob,
    totp_pending blob,
    totp_step integer not null default 0,
    created_at integer not null
  ) strict;

create table operator_session (
    id blob primary key,
    secret_hash blob not null unique,
    operator_id blob not null references operator (id),
    client blob not null,
    created_at integer not null,
    seen_at integer not null,
    expires_at integer not null
  ) strict;

create index operator_session_operator on operator_session (operator_id);

create table operator_link (
    token_hash blob primary key,
    operator_id blob not null references operator (id),
    kind text not null check (kind in ('invitation', 'reset')),
    created_at integer not null,
    expires_at integer not null,
    created_by text,
    max_role text
  ) strict;

create index operator_link_operator on operator_link (operator_id);

create table recovery_code (
    operator_id blob not null references operator (id),
    code_hash blob not null,
    primary key (operator_id, code_hash)
  ) strict, without rowid;

create table passkey (
    id blob primary key,
    operator_id blob not null references operator (id),
    credential_hash blob not null unique,
    sealed blob not null,
    counter integer not null,
    created_at integer not null,
    last_used_at integer
  ) strict;

create index passkey_operator on passkey (operator_id);

create table used_challenge (
    challenge_hash blob primary key,
    expires_at integer not null
  ) strict;

create table admin_token (
    id blob primary key,
    token_hash blob not null unique,
    hint text not null,
    name text not null,
    role text not null check (role in ('owner', 'admin', 'support', 'viewer')),
    created_at integer not null,
    expires_at integer,
    revoked_at integer,
    last_used_at integer,
    created_by text
  ) strict;

create table audit (
    seq integer primary key,
    at integer not null,
    action text not null,
    actor text not null,
    object text,
    details blob not null,
    hash blob not null
  ) strict;

create index audit_action on audit (action, seq);

create index audit_actor on audit (actor, seq);

create index audit_object on audit (object, seq) where object is not null;

create table audit_head (
    id integer primary key check (id = 1),
    seq integer not null,
    hash blob not null,
    seal blob,
    start_seq integer not null default 0,
    start_hash blob,
    start_seal blob
  ) strict;

create table repeated_request (
    queue_id integer not null,
    key_hash blob not null,
    request_hash blob not null,
    answer blob,
    created_at integer not null,
    primary key (queue_id, key_hash)
  ) strict, without rowid;

create index repeated_request_age on repeated_request (created_at);

create table mail_pause (
    name text primary key,
    error text not null,
    answer text,
    since integer not null,
    tried_at integer not null
  ) strict;

create table health_confirmation (
    name text primary key,
    key_id blob,
    confirmed_at integer not null
  ) strict;

create table health_state (
    name text primary key,
    what text not null,
    failing integer not null,
    since integer not null,
    told integer not null
  ) strict;

create table copy_mark (
    id integer primary key check (id = 1),
    progress text not null
  ) strict;

create table waitlist (
    id integer primary key,
    public_id text not null unique,
    name text not null,
    boost integer not null check (boost between 0 and 1000),
    referral_cap integer,
    invite_expiry_ms integer,
    expired_stay_invited integer not null default 0,
    confirm_emails integer not null default 0,
    mail_kinds text not null default 'confirm,invite',
    mail_version integer not null default 0,
    invite_reminder_ms integer not null default 86400000,
    metadata_keys text not null default '[]',
    first_steps_dismissed integer not null default 0,
    unsettled text,
    closed_at integer,
    created_at integer not null,
    deleted_at integer
  ) strict;

create index waitlist_deleted on waitlist (deleted_at) where deleted_at is not null;

create index waitlist_unsettled on waitlist (id) where unsettled is not null;

create table waitlist_picture (
    waitlist_id integer not null references waitlist (id),
    digest text not null,
    type text not null,
    content blob not null,
    created_at integer not null,
    primary key (waitlist_id, digest)
  ) strict;

create table mail_part (
    waitlist_id integer not null references waitlist (id),
    part text not null,
    version integer not null,
    content text,
    created_at integer not null,
    primary key (waitlist_id, part, version)
  ) strict;

create table queue (
    id integer primary key,
    waitlist_id integer not null references waitlist (id),
    environment text not null references environment (name),
    code_tag text not null unique,
    wrapped_keys blob not null,
    created_at integer not null,
    unique (waitlist_id, environment)
  ) strict;

create table queue_state (
    queue_id integer not null primary key,
    last_seq integer not null default 0,
    pending integer not null default 0,
    waiting integer not null default 0,
    invited integer not null default 0,
    joined integer not null default 0,
    removed integer not null default 0,
    next_expiry integer,
    next_reminder integer,
    rerank_after integer,
    listens text not null default '',
    undone integer not null default 0,
    closed integer not null default 0,
    opened integer not null default 0,
    close_after integer,
    open_invites integer not null default 0,
    accepted_invites integer not null default 0
  ) strict;

create index queue_state_expiry on queue_state (next_expiry) where next_expiry is not null;

create index queue_state_reminder on queue_state (next_reminder) where next_reminder is not null;

create index queue_state_rerank on queue_state (rerank_after) where rerank_after is not null;

create index queue_state_close on queue_state (close_after) where close_after is not null;

create table server_key (
    id blob primary key,
    hash blob not null unique,
    hint text not null,
    label text not null default '',
    waitlist_id integer references waitlist (id),
    environment text not null references environment (name),
    can_read integer not null,
    created_at integer not null,
    expires_at integer,
    revoked_at integer,
    last_used_at integer
  ) strict;

create table gate_key (
    queue_id integer not null references queue (id),
    id blob not null,
    hash blob not null,
    hint text not null,
    name text not null,
    secret blob,
    created_at integer not null,
    last_used_at integer,
    primary key (queue_id, id)
  ) strict, without rowid;

create unique index gate_key_hash on gate_key (queue_id, hash);

create table mail_event_key (
    queue_id integer not null references queue (id),
    id blob not null,
    hash blob not null,
    hint text not null,
    name text not null,
    secret blob,
    created_at integer not null,
    last_used_at integer,
    provider text,
    topic text,
    primary key (queue_id, id)
  ) strict, without rowid;

create unique index mail_event_key_hash on mail_event_key (queue_id, hash);

create table saved_segment (
    queue_id integer not null references queue (id),
    id blob not null,
    name text not null,
    conditions blob not null,
    created_at integer not null,
    updated_at integer not null,
    primary key (queue_id, id)
  ) strict, without rowid;

create table job (
    queue_id integer not null references queue (id),
    id blob not null,
    kind text not null,
    input blob not null,
    progress text not null,
    created_at integer not null,
    updated_at integer not null,
    finished_at integer,
    runner text not null default 'command-line',
    done integer not null default 0,
    total integer,
    outcome text,
    error text,
    result text,
    created_by text,
    subject text,
    lease_token blob,
    lease_until integer,
    cancel_at integer,
    primary key (queue_id, id)
  ) strict;

create unique index job_id on job (id);

create index job_open on job (runner, id) where finished_at is null;

create index job_finished on job (finished_at) where finished_at is not null;

create table import_chunk (
    queue_id integer not null,
    job_id blob not null,
    part text not null,
    position integer not null,
    sealed blob not null,
    primary key (queue_id, job_id, part, position)
  ) strict;

create table import_code (
    queue_id integer not null,
    job_id blob not null,
    code_hash blob not null,
    seq integer not null,
    primary key (queue_id, job_id, code_hash)
  ) strict, without rowid;

create table import_link (
    queue_id integer not null,
    job_id blob not null,
    seq integer not null,
    kind text not null,
    hash blob not null,
    primary key (queue_id, job_id, seq)
  ) strict, without rowid;

create table import_range (
    queue_id integer not null,
    job_id blob not null,
    first_seq integer not null,
    last_seq integer not null,
    primary key (queue_id, job_id, first_seq)
  ) strict, without rowid;

create table entry (
    queue_id integer not null,
    seq integer not null,
    closed integer not null default 0,
    opened integer not null default 0,
    id blob not null,
    status text not null check (status in ('pending', 'waiting', 'invited', 'joined', 'removed')),
    rank integer not null,
    referrals integer not null default 0,
    moved integer not null default 0,
    referrer_seq integer,
    credited integer not null default 0,
    person blob,
    email_hash blob,
    phone_hash blob,
    mailbox_hash blob,
    created_at integer not null,
    invited_at integer,
    joined_at integer,
    removed_at integer,
    removed_from text,
    confirmed_at integer,
    depth integer not null default 0,
    primary key (queue_id, seq)
  ) strict;

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
    queue_id integer not null,
    level integer not null,
    bucket integer not null,
    waiting integer not null,
    primary key (queue_id, level, bucket)
  ) strict, without rowid;

create table metadata_pair (
    queue_id integer not null,
    pair_hash blob not null,
    seq integer not null,
    primary key (queue_id, pair_hash, seq)
  ) strict, without rowid;

create table referral_alias (
    queue_id integer not null,
    code_hash blob not null,
    seq integer not null,
    primary key (queue_id, code_hash)
  ) strict, without rowid;

create index referral_alias_entry on referral_alias (queue_id, seq);

create table referral_source (
    queue_id integer not null references queue (id),
    slot integer not null,
    referrer_seq integer not null,
    network_hash blob not null,
    signups integer not null,
    primary key (queue_id, slot, referrer_seq, network_hash)
  ) strict, without rowid;

create table referral_review (
    queue_id integer not null references queue (id),
    id blob not null,
    seq integer not null,
    referrer_seq integer not null,
    created_at integer not null,
    decision text check (decision in ('credit', 'reject')),
    decided_at integer,
    primary key (queue_id, id)
  ) strict;

create unique index referral_review_entry on referral_review (queue_id, seq);

create index referral_review_open on referral_review (queue_id, id) where decision is null;

create table operator_confirmation (
    queue_id integer not null,
    seq integer not null,
    source text not null,
    said_by text not null,
    said_at integer not null,
    primary key (queue_id, seq)
  ) strict, without rowid;

create table invite (
    queue_id integer not null references queue (id),
    id blob not null,
    code_hash blob not null,
    email_hash blob not null,
    sealed blob not null,
    created_at integer not null,
    expires_at integer,
    accepted_at integer,
    revoked_at integer,
    expired_at integer,
    remind_at integer,
    accept_key_hash blob,
    accept_answer blob,
    wave_id blob,
    wave_run integer,
    primary key (queue_id, id)
  ) strict;

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
    queue_id integer not null references queue (id),
    id blob not null,
    name text not null,
    plan blob not null,
    keep_open integer,
    until_joined integer,
    state text not null,
    pause_reason text,
    resumes_itself integer not null default 0,
    accepted_before integer not null,
    next_at integer,
    run_at integer,
    invited integer not null default 0,
    seats text not null default '[]',
    checked_at integer not null,
    created_by text,
    created_at integer not null,
    updated_at integer not null,
    finished_at integer,
    primary key (queue_id, id)
  ) strict, without rowid;

create index wave_active on wave (queue_id, id) where state = 'active';

create table wave_run (
    queue_id integer not null references queue (id),
    wave_id blob not null,
    scheduled_at integer not null,
    started_at integer,
    finished_at integer,
    outcome text,
    invited integer not null default 0,
    unreadable text not null default '[]',
    job_id blob,
    primary key (queue_id, wave_id, scheduled_at)
  ) strict, without rowid;

create index wave_run_job on wave_run (queue_id, job_id) where job_id is not null;

create table queue_stat (
    queue_id integer not null,
    slot integer not null,
    signups integer not null,
    referred integer not null,
    confirmed integer not null,
    invited integer not null,
    accepted integer not null,
    expired integer not null,
    revoked integer not null,
    removed integer not null,
    primary key (queue_id, slot)
  ) strict, without rowid;

create table queue_histogram (
    queue_id integer not null,
    kind text not null,
    slot integer not null,
    bucket integer not null,
    count integer not null,
    primary key (queue_id, kind, slot, bucket)
  ) strict, without rowid;

create table metadata_key (
    queue_id integer not null,
    key text not null,
    counted_seq integer not null,
    primary key (queue_id, key)
  ) strict, without rowid;

create table metadata_value (
    queue_id integer not null,
    key text not null,
    pair_hash blob not null,
    label blob not null,
    primary key (queue_id, key, pair_hash)
  ) strict, without rowid;

create table metadata_count (
    queue_id integer not null,
    key text not null,
    day integer not null,
    pair_hash blob not null,
    signups integer not null,
    primary key (queue_id, key, day, pair_hash)
  ) strict, without rowid;

create table webhook_endpoint (
    queue_id integer not null references queue (id),
    id blob not null unique,
    sealed blob not null,
    events text not null,
    rate_limit integer,
    rate_used_until integer not null default 0,
    disabled_at integer,
    disabled_reason text,
    failing_since integer,
    last_success_at integer,
    created_at integer not null,
    updated_at integer not null,
    primary key (queue_id, id)
  ) strict;

create table event (
    queue_id integer not null,
    id blob not null,
    kind text not null,
    body blob,
    created_at integer not null,
    primary key (queue_id, id)
  ) strict;

create table event_subject (
    queue_id integer not null,
    subject blob not null,
    event_id blob not null,
    primary key (queue_id, subject, event_id)
  ) strict, without rowid;

create index event_subject_event on event_subject (queue_id, event_id);

create table delivery (
    queue_id integer not null,
    channel text not null,
    target_id blob not null,
    event_id blob not null,
    due_at integer,
    token blob,
    tries integer not null default 0,
    attempts integer not null default 0,
    delivered_at integer,
    failed_at integer,
    primary key (queue_id, channel, target_id, event_id)
  ) strict, without rowid;

create index delivery_due on delivery (queue_id, channel, target_id, due_at, event_id)
    where due_at is not null;

create index delivery_failed on delivery (queue_id, channel, target_id, event_id)
    where failed_at is not null;

create table delivery_attempt (
    queue_id integer not null,
    channel text not null,
    target_id blob not null,
    event_id blob not null,
    attempt integer not null,
    at integer not null,
    duration_ms integer not null,
    status integer,
    error text,
    response blob,
    primary key (queue_id, event_id, channel, target_id, attempt)
  ) strict;

create table delivery_stat (
    queue_id integer not null,
    channel text not null,
    target_id blob not null,
    hour integer not null,
    delivered integer not null,
    kept integer not null,
    failed integer not null,
    retried integer not null,
    primary key (queue_id, hour, channel, target_id)
  ) strict, without rowid;

create table mail_suppression (
    queue_id integer not null references queue (id),
    email_hash blob not null,
    reason text not null,
    created_at integer not null,
    primary key (queue_id, email_hash, reason)
  ) strict;

create index mail_suppression_since on mail_suppression (queue_id, reason, created_at);

create table mail_soft_bounce (
    queue_id integer not null references queue (id),
    email_hash blob not null,
    day integer not null,
    primary key (queue_id, email_hash, day)
  ) strict, without rowid;

create table mail_event_seen (
    queue_id integer not null references queue (id),
    report_hash blob not null,
    expires_at integer not null,
    primary key (queue_id, report_hash)
  ) strict, without rowid;

create index mail_event_seen_expiry on mail_event_seen (queue_id, expires_at);

create table mail_sending (
    queue_id integer primary key references queue (id),
    bounce_limit integer default 1000,
    complaint_limit integer default 50,
    paused_at integer,
    resumed_at integer,
    pause_reason text,
    review_at integer,
    counted_from integer,
    sent_before integer not null default 0,
    warm_up_start integer,
    warm_up_to integer,
    warm_up_number integer not null default 0,
    warm_up_day integer not null default 0,
    warm_up_taken integer not null default 0
  ) strict, without rowid;

create table form (
    queue_id integer primary key references queue (id),
    form_key text not null unique,
    enabled integer not null,
    settings text not null,
    captcha_secret blob,
    created_at integer not null,
    updated_at integer not null
  ) strict;

create table form_spent (
    queue_id integer not null references queue (id),
    token_hash blob not null,
    email_hash blob not null,
    expires_at integer not null,
    primary key (queue_id, token_hash)
  ) strict, without rowid;

create index form_spent_expiry on form_spent (queue_id, expires_at);

create table form_refusal (
    queue_id integer not null references queue (id),
    slot integer not null,
    reason text not null,
    refused integer not null,
    primary key (queue_id, slot, reason)
  ) strict, without rowid;

create table form_blocked_origin (
    queue_id integer not null references queue (id),
    origin text not null,
    attempts integer not null,
    last_at integer not null,
    primary key (queue_id, origin)
  ) strict, without rowid;

create table form_mail (
    queue_id integer not null references queue (id),
    day integer not null,
    email_hash blob not null,
    mails integer not null,
    primary key (queue_id, day, email_hash)
  ) strict, without rowid;

create table form_visit (
    queue_id integer not null references queue (id),
    visitor_hash blob not null,
    place integer not null,
    expires_at integer not null,
    link blob not null,
    primary key (queue_id, visitor_hash)
  ) strict, without rowid;

create index form_visit_expiry on form_visit (queue_id, expires_at);

create table form_referral (
    queue_id integer not null references queue (id),
    link blob not null,
    seq integer not null,
    primary key (queue_id, link, seq)
  ) strict, without rowid;

drop trigger if exists doorlist_schema_gate_queue;

create trigger doorlist_schema_gate_queue before update on queue when doorlist_schema() < 40
        begin select raise(abort, 'a newer release has updated the schema'); end;

drop trigger if exists doorlist_schema_gate_queue_state;

create trigger doorlist_schema_gate_queue_state before update on queue_state when doorlist_schema() < 40
        begin select raise(abort, 'a newer release has updated the schema'); end;

drop trigger if exists doorlist_schema_gate_instance;

create trigger doorlist_schema_gate_instance before update on instance when doorlist_schema() < 40
        begin select raise(abort, 'a newer release has updated the schema'); end;

drop trigger if exists doorlist_schema_gate_audit_head;

create trigger doorlist_schema_gate_audit_head before update on audit_head when doorlist_schema() < 40
        begin select raise(abort, 'a newer release has updated the schema'); end;

update schema_version set version = 40, release = '0.1.0';

insert into instance (id, master_key_id, master_key_check, settings_version, created_at, erasures, erasures_wiped, public_url, mail_from, installation_keys, default_time_zone, backup_at, alerts)
  values (1, x'6713e4288445b6e4', x'016713e4288445b6e4b5046ff090396c43030a823a7e19de7cd1af9ccb71de05a5fab64700ed344124f727c3e55d21f95b9b1ef5ab7b738284a70a355850017149af1658b42facc4c3c0', 5, 1794735000000, 0, 0, null, null, x'016713e4288445b6e445d18c74d17fc3220648afdab486c9f84f3d8bf831f6e5dc90e7ab852a94fe3dac224978b866a3281086d6931465c65b80ba05344d1fe039f5243011e957527411a85db8051b2d6f0bdb3c2f8ab1b80082a22c44e6d652aee6c221781e71856cb9ce6f47290bc7b4', 'UTC', null, null);

insert into environment (name, created_at)
  values ('development', 1794735000000);

insert into environment (name, created_at)
  values ('production', 1794735000000);

insert into waitlist (id, public_id, name, boost, referral_cap, invite_expiry_ms, expired_stay_invited, confirm_emails, mail_kinds, mail_version, invite_reminder_ms, metadata_keys, first_steps_dismissed, unsettled, closed_at, created_at, deleted_at)
  values (1, 'wl_07274044f1', 'Acme', 5, null, null, 0, 0, 'confirm,invite', 0, 86400000, '[]', 0, null, null, 1794735000000, null);

insert into waitlist (id, public_id, name, boost, referral_cap, invite_expiry_ms, expired_stay_invited, confirm_emails, mail_kinds, mail_version, invite_reminder_ms, metadata_keys, first_steps_dismissed, unsettled, closed_at, created_at, deleted_at)
  values (2, 'wl_2517202279', 'Other', 5, null, null, 0, 0, 'confirm,invite', 0, 86400000, '[]', 0, null, null, 1794735000000, null);

insert into queue (id, waitlist_id, environment, code_tag, wrapped_keys, created_at)
  values (1, 1, 'development', 'w093p1', x'016713e4288445b6e4d534c13101e017bd3f1501435d6eb462b6995b810679e00bef6c3a81fd7c6c7f971c1309b9fe568d167b8ea63bc1973ac90e7a80eb8c2b1254c0bfdbd69220f082d7caa17dc2692f22a33946b0ece93a58dfa3cc925eb300275f69d308c1acf7932490d1616c2fda', 1794735000000);

insert into queue (id, waitlist_id, environment, code_tag, wrapped_keys, created_at)
  values (2, 1, 'production', '28d5ms', x'016713e4288445b6e4297efb02e9a14e03db04c0bb4515b79dbcc3371844c5c0e5e935da8d32452b648f89e5fc9277b0220365d37e58c805bac472d0e9e8a6c8061a7978eb12cb1a064b722fe1e58fe6b5efc9f3e94e944776a7250bc4570f0de05a5785306b1d1b3649ad23bdbdaa5ac4', 1794735000000);

insert into queue (id, waitlist_id, environment, code_tag, wrapped_keys, created_at)
  values (3, 2, 'development', '6frp4g', x'016713e4288445b6e49cca10ffae143fb58fd75d95a80e718c711ad2d2071e24da19c817a694239a1d74960babebfd226316b4f39d196c17d94b5355216d9124e1ccb45204f7f50e2ba9600cebba9f23fc47d59c1694d44332417e64437c5d72438a17a504b7083cb39e08a7488678baa9', 1794735000000);

insert into queue (id, waitlist_id, environment, code_tag, wrapped_keys, created_at)
  values (4, 2, 'production', 'vekc75', x'016713e4288445b6e47e05e7d98f0fee5744f2134f33139f482708016fbd4f1ed6076e9e1d68c9104dd6a09d89bd6f444b3ce9428163207d6def5968aadb548c7bbca26e60fe7c5eca23492443e6c58fbb02fd298d4d10216112e7fe37a4e1c14e5ceeaf5301e155691a555ad6a11bda85', 1794735000000);

insert into queue_state (queue_id, last_seq, pending, waiting, invited, joined, removed, next_expiry, next_reminder, rerank_after, listens, undone, closed, opened, close_after, open_invites, accepted_invites)
  values (1, 0, 0, 0, 0, 0, 0, null, null, null, '', 0, 0, 0, null, 0, 0);

insert into queue_state (queue_id, last_seq, pending, waiting, invited, joined, removed, next_expiry, next_reminder, rerank_after, listens, undone, closed, opened, close_after, open_invites, accepted_invites)
  values (2, 4, 0, 2, 1, 1, 0, 1794821400000, null, null, '', 0, 0, 0, null, 1, 1);

insert into queue_state (queue_id, last_seq, pending, waiting, invited, joined, removed, next_expiry, next_reminder, rerank_after, listens, undone, closed, opened, close_after, open_invites, accepted_invites)
  values (3, 0, 0, 0, 0, 0, 0, null, null, null, '', 0, 0, 0, null, 0, 0);

insert into queue_state (queue_id, last_seq, pending, waiting, invited, joined, removed, next_expiry, next_reminder, rerank_after, listens, undone, closed, opened, close_after, open_invites, accepted_invites)
  values (4, 1, 0, 1, 0, 0, 0, null, null, null, '', 0, 0, 0, null, 0, 0);

insert into entry (queue_id, seq, closed, opened, id, status, rank, referrals, moved, referrer_seq, credited, person, email_hash, phone_hash, mailbox_hash, created_at, invited_at, joined_at, removed_at, removed_from, confirmed_at, depth)
  values (2, 1, 0, 0, x'01a1de8ac9c0221e9dd672bfb81f2285', 'waiting', -4, 1, 0, null, 0, x'015eb50280bf27b0a5d7c1ab569d26b59276c380350293768196be0de19048edef4a9fb7c690afc4aaecaff58e2e7faa9b4e77fcb5eb54b7e78b36eb2fbfef74709caa807d4e360c7a357b3d88b4e844a7f7f6ae1a175fa5158f54878bffd42ff149c80c65d9f12a32d555c1814ff418368154', x'6b6756db477f4e66df0f4a3e412c561fa08f69dd1164e2de8622efdade3311dd', null, null, 1794735000000, null, null, null, null, null, 0);

insert into entry (queue_id, seq, closed, opened, id, status, rank, referrals, moved, referrer_seq, credited, person, email_hash, phone_hash, mailbox_hash, created_at, invited_at, joined_at, removed_at, removed_from, confirmed_at, depth)
  values (2, 2, 0, 0, x'01a1de8ac9c06f118637eb4b6d5c2cdd', 'invited', 2, 0, 0, 1, 1, x'015eb50280bf27b0a510c232b98696bff895b22b3b069054926f3e27199f881862025ae111f33f8c86cf33b01cc87fc6e4cbec1a8e9a689d4f3468d64e0b213be63729cc9e38819dee404f208a7d23f84d28073613e7b4d81e3b115ea7cb8b4353ec67f364500407f0', x'8e703d1b8f4aeec90294915b4a2c6f7c4cea753a789fd536df0c84ca63244c6f', null, null, 1794735000000, 1794735000000, null, null, null, null, 1);

insert into entry (queue_id, seq, closed, opened, id, status, rank, referrals, moved, referrer_seq, credited, person, email_hash, phone_hash, mailbox_hash, created_at, invited_at, joined_at, removed_at, removed_from, confirmed_at, depth)
  values (2, 3, 0, 0, x'01a1de8ac9c097d79ac134201826a0ba', 'waiting', 3, 0, 0, null, 0, x'015eb50280bf27b0a5eb3310fe895c2eec9e8f46a6de22a017bcda778cb6102b00e2c609a6be62caa436be5ba597c9818a1eafd7aebf2b500ac6f0d29793c6afa43e5dfda1f4392a37823a042860c378f801ac2839d37fc88a7a88860cc058df3f644d25c166f1c9', null, x'02ec4105a938e87fd9edd1e433d72652c1968c67bf7aca96922117a129002ecc', null, 1794735000000, null, null, null, null, null, 0);

insert into entry (queue_id, seq, closed, opened, id, status, rank, referrals, moved, referrer_seq, credited, person, email_hash, phone_hash, mailbox_hash, created_at, invited_at, joined_at, removed_at, removed_from, confirmed_at, depth)
  values (2, 4, 0, 0, x'01a1de8ac9c04642820aa909ef7a3332', 'joined', 4, 0, 0, null, 0, x'015eb50280bf27b0a590e59f532228e1ad3fddaefdc67ddbd86bd2b83edba82572cabe1c266628bfbb9dc092bed48e504dbd32f0898b2cc1ce22760737ff5a3595e40882a8486823b3cb19d10dc77ee894f270d814f1b45949d113ae121bca8cc4cac86f7966366ad8e2', x'c3afd074fe22e0372571b0d5d0e804dd83ea45353e6270a82430a63281c972c3', null, null, 1794735000000, 1794735000000, 1794735000000, null, null, null, 0);

insert into entry (queue_id, seq, closed, opened, id, status, rank, referrals, moved, referrer_seq, credited, person, email_hash, phone_hash, mailbox_hash, created_at, invited_at, joined_at, removed_at, removed_from, confirmed_at, depth)
  values (4, 1, 0, 0, x'01a1de8ac9c0d7d4163ae0428975193a', 'waiting', 1, 0, 0, null, 0, x'01874d0be01d6357847243179b609d2a22266adb88bed91188442ab9dc351531d43036c7e84cf7470c082923d61386e42d845960e13c65393715523590fee2fb4acedba27a86b8f941c6f634a3003f2806b70ce4da2e75172dd4d2e984970445abafcb015f56a04c71128130aab5bb64a5b221d0', x'644a138c3071c127cd32ed010c76702d2582174ebc47d9967ac1fe5e38a4419c', null, null, 1794735000000, null, null, null, null, null, 0);

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
  values (2, x'f3166557a22008391f72a3f7ea4e2d628773b5335e531fa056b115cac41401e7', 1);

insert into metadata_pair (queue_id, pair_hash, seq)
  values (4, x'ff5d1aeca292aef6dbf54f869a542f0c0b53e81d1d1cbb97e058c259fd18d7c5', 1);

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
  values (2, 'plan', x'0101010101010101010101010101010101010101010101010101010101010101', x'0101010101010101010101010101010101010101010101010101010101010101');

insert into metadata_value (queue_id, key, pair_hash, label)
  values (4, 'plan', x'0202020202020202020202020202020202020202020202020202020202020202', x'0202020202020202020202020202020202020202020202020202020202020202');

insert into metadata_count (queue_id, key, day, pair_hash, signups)
  values (2, 'plan', 1794700800000, x'0101010101010101010101010101010101010101010101010101010101010101', 1);

insert into metadata_count (queue_id, key, day, pair_hash, signups)
  values (4, 'plan', 1794700800000, x'0202020202020202020202020202020202020202020202020202020202020202', 1);

insert into saved_segment (queue_id, id, name, conditions, created_at, updated_at)
  values (2, x'01010101010101010101010101010101', 'Testers', x'0101010101010101010101010101010101010101010101010101010101010101', 1794735000000, 1794735000000);

insert into saved_segment (queue_id, id, name, conditions, created_at, updated_at)
  values (4, x'02020202020202020202020202020202', 'Testers', x'0202020202020202020202020202020202020202020202020202020202020202', 1794735000000, 1794735000000);

insert into wave (queue_id, id, name, plan, keep_open, until_joined, state, pause_reason, resumes_itself, accepted_before, next_at, run_at, invited, seats, checked_at, created_by, created_at, updated_at, finished_at)
  values (2, x'01010101010101010101010101010101', 'Mornings', x'0101010101010101010101010101010101010101010101010101010101010101', null, null, 'stopped', null, 0, 0, null, null, 0, '[]', 1794735000000, null, 1794735000000, 1794735000000, null);

insert into wave (queue_id, id, name, plan, keep_open, until_joined, state, pause_reason, resumes_itself, accepted_before, next_at, run_at, invited, seats, checked_at, created_by, created_at, updated_at, finished_at)
  values (4, x'02020202020202020202020202020202', 'Mornings', x'0202020202020202020202020202020202020202020202020202020202020202', null, null, 'stopped', null, 0, 0, null, null, 0, '[]', 1794735000000, null, 1794735000000, 1794735000000, null);

insert into wave_run (queue_id, wave_id, scheduled_at, started_at, finished_at, outcome, invited, unreadable, job_id)
  values (2, x'01010101010101010101010101010101', 1794735000000, null, null, 'skipped', 0, '[]', null);

insert into wave_run (queue_id, wave_id, scheduled_at, started_at, finished_at, outcome, invited, unreadable, job_id)
  values (4, x'02020202020202020202020202020202', 1794735000000, null, null, 'skipped', 0, '[]', null);

insert into job (queue_id, id, kind, input, progress, created_at, updated_at, finished_at, runner, done, total, outcome, error, result, created_by, subject, lease_token, lease_until, cancel_at)
  values (2, x'01010101010101010101010101010101', 'import', x'0101010101010101010101010101010101010101010101010101010101010101', '{}', 1794735000000, 1794735000000, null, 'command-line', 0, null, null, null, null, null, null, null, null, null);

insert into job (queue_id, id, kind, input, progress, created_at, updated_at, finished_at, runner, done, total, outcome, error, result, created_by, subject, lease_token, lease_until, cancel_at)
  values (4, x'02020202020202020202020202020202', 'import', x'0202020202020202020202020202020202020202020202020202020202020202', '{}', 1794735000000, 1794735000000, null, 'command-line', 0, null, null, null, null, null, null, null, null, null);

insert into import_chunk (queue_id, job_id, part, position, sealed)
  values (2, x'01010101010101010101010101010101', 'file', 0, x'0101010101010101010101010101010101010101010101010101010101010101');

insert into import_chunk (queue_id, job_id, part, position, sealed)
  values (4, x'02020202020202020202020202020202', 'file', 0, x'0202020202020202020202020202020202020202020202020202020202020202');

insert into import_code (queue_id, job_id, code_hash, seq)
  values (2, x'01010101010101010101010101010101', x'0101010101010101010101010101010101010101010101010101010101010101', 1);

insert into import_code (queue_id, job_id, code_hash, seq)
  values (4, x'02020202020202020202020202020202', x'0202020202020202020202020202020202020202020202020202020202020202', 1);

insert into import_link (queue_id, job_id, seq, kind, hash)
  values (2, x'01010101010101010101010101010101', 2, 'email', x'0101010101010101010101010101010101010101010101010101010101010101');

insert into import_link (queue_id, job_id, seq, kind, hash)
  values (4, x'02020202020202020202020202020202', 2, 'email', x'0202020202020202020202020202020202020202020202020202020202020202');

insert into import_range (queue_id, job_id, first_seq, last_seq)
  values (2, x'01010101010101010101010101010101', 1, 2);

insert into import_range (queue_id, job_id, first_seq, last_seq)
  values (4, x'02020202020202020202020202020202', 1, 2);

insert into referral_alias (queue_id, code_hash, seq)
  values (2, x'0101010101010101010101010101010101010101010101010101010101010101', 1);

insert into referral_alias (queue_id, code_hash, seq)
  values (4, x'0202020202020202020202020202020202020202020202020202020202020202', 1);

insert into operator_confirmation (queue_id, seq, source, said_by, said_at)
  values (2, 1, 'import', 'root', 1794735000000);

insert into operator_confirmation (queue_id, seq, source, said_by, said_at)
  values (4, 1, 'import', 'root', 1794735000000);

insert into invite (queue_id, id, code_hash, email_hash, sealed, created_at, expires_at, accepted_at, revoked_at, expired_at, remind_at, accept_key_hash, accept_answer, wave_id, wave_run)
  values (2, x'01a1de8ac9c00000005ca9fb51ad3ff4', x'29167aff965fbab949c226258ef333cd6746567cb83469ededcc4b871b3d33db', x'8e703d1b8f4aeec90294915b4a2c6f7c4cea753a789fd536df0c84ca63244c6f', x'015eb50280bf27b0a5d97964a73b83ec6184f09a85194e0dee6df28d6582eb401fc5c11f4f139a6e177ff411708d1c3b9b548dca0bd764470b93fd09458d5e576d3c0030b0ecb058c47b5c9c93ea7bbdcc07bdaeb160eab5a19f13bd07d4d685642fcc16e38653109c34cba532ddf113a647875aff34', 1794735000000, 1794821400000, null, null, null, null, null, null, null, null);

insert into invite (queue_id, id, code_hash, email_hash, sealed, created_at, expires_at, accepted_at, revoked_at, expired_at, remind_at, accept_key_hash, accept_answer, wave_id, wave_run)
  values (2, x'01a1de8ac9c00000009c39b05542fd6f', x'a16c2ecca3f401c69b9cb8f39e8a3e2c3daf64fbc8687597f188c566760aefb3', x'c3afd074fe22e0372571b0d5d0e804dd83ea45353e6270a82430a63281c972c3', x'015eb50280bf27b0a5cc2a9fcf98f112038d9936f097c4bf587fe5d22f7278f4c1f9ca35f759ef0e052ea10f58e1a788914c70ab1d7bc18573504b6851a3233c8a209c652ad420512119633e197b2ec6624f7e325d56fb4cd264c061f2afc0f66108209d753396a50b914f00e808e028064d1b38450356', 1794735000000, null, 1794735000000, null, null, null, null, null, null, null);

insert into server_key (id, hash, hint, label, waitlist_id, environment, can_read, created_at, expires_at, revoked_at, last_used_at)
  values (x'01a1de8ac9c004345f4f5e4315adc516', x'ff0cb22c969234ab0270f45c2f731df8cf93e991335f5eb7172b4dfa2accb89d', 'gPEy', '', 2, 'production', 1, 1794735000000, null, null, 1794735000000);

insert into server_key (id, hash, hint, label, waitlist_id, environment, can_read, created_at, expires_at, revoked_at, last_used_at)
  values (x'01a1de8ac9c06abf7838ba1a616e5a93', x'7aacc8c6c0eb2a41eccd5b908e4b1fe27f1834090f8b915d14ac71ab3d74355d', 'zlXH', '', 1, 'production', 1, 1794735000000, null, null, 1794735000000);

insert into gate_key (queue_id, id, hash, hint, name, secret, created_at, last_used_at)
  values (2, x'01010101010101010101010101010101', x'0101010101010101010101010101010101010101010101010101010101010101', 'x7Qa', '', null, 1794735000000, null);

insert into gate_key (queue_id, id, hash, hint, name, secret, created_at, last_used_at)
  values (4, x'02020202020202020202020202020202', x'0202020202020202020202020202020202020202020202020202020202020202', 'x7Qa', '', null, 1794735000000, null);

insert into mail_event_key (queue_id, id, hash, hint, name, secret, created_at, last_used_at, provider, topic)
  values (2, x'01010101010101010101010101010101', x'0101010101010101010101010101010101010101010101010101010101010101', 'x7Qa', '', null, 1794735000000, null, null, null);

insert into mail_event_key (queue_id, id, hash, hint, name, secret, created_at, last_used_at, provider, topic)
  values (4, x'02020202020202020202020202020202', x'0202020202020202020202020202020202020202020202020202020202020202', 'x7Qa', '', null, 1794735000000, null, null, null);

insert into webhook_endpoint (queue_id, id, sealed, events, rate_limit, rate_used_until, disabled_at, disabled_reason, failing_since, last_success_at, created_at, updated_at)
  values (2, x'01010101010101010101010101010101', x'0101010101010101010101010101010101010101010101010101010101010101', '', null, 0, 1794735000000, null, null, null, 1794735000000, 1794735000000);

insert into webhook_endpoint (queue_id, id, sealed, events, rate_limit, rate_used_until, disabled_at, disabled_reason, failing_since, last_success_at, created_at, updated_at)
  values (4, x'02020202020202020202020202020202', x'0202020202020202020202020202020202020202020202020202020202020202', '', null, 0, 1794735000000, null, null, null, 1794735000000, 1794735000000);

insert into event (queue_id, id, kind, body, created_at)
  values (2, x'01010101010101010101010101010101', 'signup.created', x'0101010101010101010101010101010101010101010101010101010101010101', 1794735000000);

insert into event (queue_id, id, kind, body, created_at)
  values (2, x'01a1de8ac9c0000000197e09d0d6dec9', 'email.invite', x'015eb50280bf27b0a50fb6eb2c8772a56a9c19703b3b3324938401c5a266c15da549dc2e96b4843616186942fad9900f8cd4da3246402af0659b33bb6efc695fccadf66dbd9604bbd5937e1cbdabf86eecdbc040bc6baff9f0c6e94775c326de3462858a233bc1ac745d63296615254b99bbd149ae223b231ab9a53c5a23e72a1cc5f128e389cebc987f65507c47de3adf37967aaaad8dfc40dbfcc8b21f742cfb837b5197537c4b2fdab7b18f4bf33379c28ca810cd15c810cbe9a975f7279a6206035fc5b7dbbc0b01237e7812812db6a7cb53ba8d6717e28324a7858326584cae9aab2bc2b0cec0d9ee1f63002ae3276ac34a2e2cf6a4913c94b6ba82dbdbde5b93d10c5879163084228150fc024083579e11510a46bda66e7c7c92ad6ecca8e8cbf5dc37242fbed00badf627751147d13098230b5ca47dc192327330abae9b18e4a6d2431c7222256c99eaed58c2b64f5672573a7ae49e1d002cc07f1b2e839000a5a97c9bcf09d2356c8e3a283d4ee80f90fe4def273c186095bbe9cb616062f796d0f7c3b33abecbf20726b1af91f4a8ad65f3d026cbf110ec0b821249058e4a1991e8a4b55d56265e3c3f0587b9ac7d64df91ded1454a4e', 1794735000000);

insert into event (queue_id, id, kind, body, created_at)
  values (2, x'01a1de8ac9c00000008c97fb768bb7de', 'email.invite', x'015eb50280bf27b0a54e17a9c987d4c1b6c5b81d776fc80ffdad4117c500657ba48932390ee5a2d97a8fea362dce193292deb9ee3c059af2d583bead57955bfe79f9e866dec2c5b66c6de0e34f3afe51db7f95ce529157a841505bd2fa67dd8ae0a9ab89c610192919566f7b4765702385d3151c47e05db44896db4e38ec7f0217157dca3ed4f711242669f9a7a3f0868d8489999af4b77b8833045702b9eb36e2da8a49c243773216813b283a6bc1679f1d27ab30c2546f94d9c8be23aec98053f39ebc97a07776023d65b79e91d5b80299ff032c5b4334826296d955ef5dba6ce438955d1206da1b56cbb2b0348a7a00031fd1ad3689b36e234bc58daa57f4ae31249e1869d5659fd8f3c4b9a6cfc67d636cb0975106063e925c47d8211aeb7237bd76d36105d2e7c82d405a9633aa5e573cb8c7626bac9fb49bd192df2a7f22c640e11be98277cc19c92aafe1c9eb48593707794000050ba0bba5782a17824c0d03c6c404cc678294e1cfd78648cb7c9c477ba3c8ca1a4099e739b28530e708fc7fc331c30aa7b4f56d5e71dc78fbd61433d56b9d12214d4bdafc3190da254c65f30425a66f9210b34b488c23e5f402084d10a37ac6747d8c589471868599bec3a2', 1794735000000);

insert into event (queue_id, id, kind, body, created_at)
  values (4, x'02020202020202020202020202020202', 'signup.created', x'0202020202020202020202020202020202020202020202020202020202020202', 1794735000000);

insert into event_subject (queue_id, subject, event_id)
  values (2, x'01010101010101010101010101010101', x'01010101010101010101010101010101');

insert into event_subject (queue_id, subject, event_id)
  values (2, x'01a1de8ac9c00000005ca9fb51ad3ff4', x'01a1de8ac9c00000008c97fb768bb7de');

insert into event_subject (queue_id, subject, event_id)
  values (2, x'01a1de8ac9c00000009c39b05542fd6f', x'01a1de8ac9c0000000197e09d0d6dec9');

insert into event_subject (queue_id, subject, event_id)
  values (2, x'01a1de8ac9c04642820aa909ef7a3332', x'01a1de8ac9c0000000197e09d0d6dec9');

insert into event_subject (queue_id, subject, event_id)
  values (2, x'01a1de8ac9c06f118637eb4b6d5c2cdd', x'01a1de8ac9c00000008c97fb768bb7de');

insert into event_subject (queue_id, subject, event_id)
  values (2, x'8e703d1b8f4aeec90294915b4a2c6f7c4cea753a789fd536df0c84ca63244c6f', x'01a1de8ac9c00000008c97fb768bb7de');

insert into event_subject (queue_id, subject, event_id)
  values (2, x'c3afd074fe22e0372571b0d5d0e804dd83ea45353e6270a82430a63281c972c3', x'01a1de8ac9c0000000197e09d0d6dec9');

insert into event_subject (queue_id, subject, event_id)
  values (4, x'02020202020202020202020202020202', x'02020202020202020202020202020202');

insert into delivery (queue_id, channel, target_id, event_id, due_at, token, tries, attempts, delivered_at, failed_at)
  values (2, 'email', x'6d61696c', x'01a1de8ac9c0000000197e09d0d6dec9', 1794735000000, null, 0, 0, null, null);

insert into delivery (queue_id, channel, target_id, event_id, due_at, token, tries, attempts, delivered_at, failed_at)
  values (2, 'email', x'6d61696c', x'01a1de8ac9c00000008c97fb768bb7de', 1794735000000, null, 0, 0, null, null);

insert into delivery (queue_id, channel, target_id, event_id, due_at, token, tries, attempts, delivered_at, failed_at)
  values (2, 'webhook', x'01010101010101010101010101010101', x'01010101010101010101010101010101', null, null, 0, 0, 1794735000000, null);

insert into delivery (queue_id, channel, target_id, event_id, due_at, token, tries, attempts, delivered_at, failed_at)
  values (4, 'webhook', x'02020202020202020202020202020202', x'02020202020202020202020202020202', null, null, 0, 0, 1794735000000, null);

insert into delivery_attempt (queue_id, channel, target_id, event_id, attempt, at, duration_ms, status, error, response)
  values (2, 'webhook', x'01010101010101010101010101010101', x'01010101010101010101010101010101', 1, 1794735000000, 5, 200, null, null);

insert into delivery_attempt (queue_id, channel, target_id, event_id, attempt, at, duration_ms, status, error, response)
  values (4, 'webhook', x'02020202020202020202020202020202', x'02020202020202020202020202020202', 1, 1794735000000, 5, 200, null, null);

insert into delivery_stat (queue_id, channel, target_id, hour, delivered, kept, failed, retried)
  values (2, 'webhook', x'01010101010101010101010101010101', 0, 1, 0, 0, 0);

insert into delivery_stat (queue_id, channel, target_id, hour, delivered, kept, failed, retried)
  values (4, 'webhook', x'02020202020202020202020202020202', 0, 1, 0, 0, 0);

insert into mail_part (waitlist_id, part, version, content, created_at)
  values (1, 'invite', 1, '{}', 1794735000000);

insert into mail_part (waitlist_id, part, version, content, created_at)
  values (2, 'invite', 1, '{}', 1794735000000);

insert into waitlist_picture (waitlist_id, digest, type, content, created_at)
  values (1, 'ab', 'image/png', x'0101010101010101010101010101010101010101010101010101010101010101', 1794735000000);

insert into waitlist_picture (waitlist_id, digest, type, content, created_at)
  values (2, 'ab', 'image/png', x'0202020202020202020202020202020202020202020202020202020202020202', 1794735000000);

insert into mail_suppression (queue_id, email_hash, reason, created_at)
  values (2, x'0101010101010101010101010101010101010101010101010101010101010101', 'bounced', 1794735000000);

insert into mail_suppression (queue_id, email_hash, reason, created_at)
  values (4, x'0202020202020202020202020202020202020202020202020202020202020202', 'bounced', 1794735000000);

insert into mail_soft_bounce (queue_id, email_hash, day)
  values (2, x'0101010101010101010101010101010101010101010101010101010101010101', 20000);

insert into mail_soft_bounce (queue_id, email_hash, day)
  values (4, x'0202020202020202020202020202020202020202020202020202020202020202', 20000);

insert into mail_event_seen (queue_id, report_hash, expires_at)
  values (2, x'0101010101010101010101010101010101010101010101010101010101010101', 1794735000000);

insert into mail_event_seen (queue_id, report_hash, expires_at)
  values (4, x'0202020202020202020202020202020202020202020202020202020202020202', 1794735000000);

insert into mail_sending (queue_id, bounce_limit, complaint_limit, paused_at, resumed_at, pause_reason, review_at, counted_from, sent_before, warm_up_start, warm_up_to, warm_up_number, warm_up_day, warm_up_taken)
  values (2, 1000, 50, 1794735000000, null, 'bounces', null, null, 0, null, null, 0, 0, 0);

insert into mail_sending (queue_id, bounce_limit, complaint_limit, paused_at, resumed_at, pause_reason, review_at, counted_from, sent_before, warm_up_start, warm_up_to, warm_up_number, warm_up_day, warm_up_taken)
  values (4, 1000, 50, 1794735000000, null, 'bounces', null, null, 0, null, null, 0, 0, 0);

insert into mail_pause (name, error, answer, since, tried_at)
  values ('mail server', 'refused', null, 1794735000000, 1794735000000);

insert into mail_pause (name, error, answer, since, tried_at)
  values ('sender', 'refused', null, 1794735000000, 1794735000000);

insert into form (queue_id, form_key, enabled, settings, captcha_secret, created_at, updated_at)
  values (2, 'dlf_1', 1, '{}', x'0101010101010101010101010101010101010101010101010101010101010101', 1794735000000, 1794735000000);

insert into form (queue_id, form_key, enabled, settings, captcha_secret, created_at, updated_at)
  values (4, 'dlf_2', 1, '{}', x'0202020202020202020202020202020202020202020202020202020202020202', 1794735000000, 1794735000000);

insert into form_spent (queue_id, token_hash, email_hash, expires_at)
  values (2, x'0101010101010101010101010101010101010101010101010101010101010101', x'0101010101010101010101010101010101010101010101010101010101010101', 1794735000000);

insert into form_spent (queue_id, token_hash, email_hash, expires_at)
  values (4, x'0202020202020202020202020202020202020202020202020202020202020202', x'0202020202020202020202020202020202020202020202020202020202020202', 1794735000000);

insert into form_refusal (queue_id, slot, reason, refused)
  values (2, 1794735000000, 'honeypot', 3);

insert into form_refusal (queue_id, slot, reason, refused)
  values (4, 1794735000000, 'honeypot', 3);

insert into form_blocked_origin (queue_id, origin, attempts, last_at)
  values (2, 'https://a.example', 1, 1794735000000);

insert into form_blocked_origin (queue_id, origin, attempts, last_at)
  values (4, 'https://a.example', 1, 1794735000000);

insert into form_mail (queue_id, day, email_hash, mails)
  values (2, 1794735000000, x'0101010101010101010101010101010101010101010101010101010101010101', 1);

insert into form_mail (queue_id, day, email_hash, mails)
  values (4, 1794735000000, x'0202020202020202020202020202020202020202020202020202020202020202', 1);

insert into form_visit (queue_id, visitor_hash, place, expires_at, link)
  values (2, x'0101010101010101010101010101010101010101010101010101010101010101', 3, 1794735000000, x'01010101010101010101010101010101');

insert into form_visit (queue_id, visitor_hash, place, expires_at, link)
  values (4, x'0202020202020202020202020202020202020202020202020202020202020202', 3, 1794735000000, x'02020202020202020202020202020202');

insert into form_referral (queue_id, link, seq)
  values (2, x'0101010101010101010101010101010101010101010101010101010101010101', 2);

insert into form_referral (queue_id, link, seq)
  values (4, x'0202020202020202020202020202020202020202020202020202020202020202', 2);

insert into referral_source (queue_id, slot, referrer_seq, network_hash, signups)
  values (2, 1794735000000, 1, x'0101010101010101010101010101010101010101010101010101010101010101', 2);

insert into referral_source (queue_id, slot, referrer_seq, network_hash, signups)
  values (4, 1794735000000, 1, x'0202020202020202020202020202020202020202020202020202020202020202', 2);

insert into referral_review (queue_id, id, seq, referrer_seq, created_at, decision, decided_at)
  values (2, x'01010101010101010101010101010101', 2, 1, 1794735000000, null, null);

insert into referral_review (queue_id, id, seq, referrer_seq, created_at, decision, decided_at)
  values (4, x'02020202020202020202020202020202', 2, 1, 1794735000000, null, null);

insert into repeated_request (queue_id, key_hash, request_hash, answer, created_at)
  values (2, x'0101010101010101010101010101010101010101010101010101010101010101', x'0101010101010101010101010101010101010101010101010101010101010101', null, 1794735000000);

insert into repeated_request (queue_id, key_hash, request_hash, answer, created_at)
  values (4, x'0202020202020202020202020202020202020202020202020202020202020202', x'0202020202020202020202020202020202020202020202020202020202020202', null, 1794735000000);

insert into operator (id, email_hash, profile, role, password, totp, totp_pending, totp_step, created_at)
  values (x'01010101010101010101010101010101', x'0101010101010101010101010101010101010101010101010101010101010101', x'0101010101010101010101010101010101010101010101010101010101010101', 'owner', null, null, null, 0, 1794735000000);

insert into operator (id, email_hash, profile, role, password, totp, totp_pending, totp_step, created_at)
  values (x'02020202020202020202020202020202', x'0202020202020202020202020202020202020202020202020202020202020202', x'0202020202020202020202020202020202020202020202020202020202020202', 'owner', null, null, null, 0, 1794735000000);

insert into operator_session (id, secret_hash, operator_id, client, created_at, seen_at, expires_at)
  values (x'01010101010101010101010101010101', x'0101010101010101010101010101010101010101010101010101010101010101', x'01010101010101010101010101010101', x'0101010101010101010101010101010101010101010101010101010101010101', 1794735000000, 1794735000000, 1794735000000);

insert into operator_session (id, secret_hash, operator_id, client, created_at, seen_at, expires_at)
  values (x'02020202020202020202020202020202', x'0202020202020202020202020202020202020202020202020202020202020202', x'02020202020202020202020202020202', x'0202020202020202020202020202020202020202020202020202020202020202', 1794735000000, 1794735000000, 1794735000000);

insert into operator_link (token_hash, operator_id, kind, created_at, expires_at, created_by, max_role)
  values (x'0101010101010101010101010101010101010101010101010101010101010101', x'01010101010101010101010101010101', 'reset', 1794735000000, 1794735000000, null, 'owner');

insert into operator_link (token_hash, operator_id, kind, created_at, expires_at, created_by, max_role)
  values (x'0202020202020202020202020202020202020202020202020202020202020202', x'02020202020202020202020202020202', 'reset', 1794735000000, 1794735000000, null, 'owner');

insert into recovery_code (operator_id, code_hash)
  values (x'01010101010101010101010101010101', x'0101010101010101010101010101010101010101010101010101010101010101');

insert into recovery_code (operator_id, code_hash)
  values (x'02020202020202020202020202020202', x'0202020202020202020202020202020202020202020202020202020202020202');

insert into passkey (id, operator_id, credential_hash, sealed, counter, created_at, last_used_at)
  values (x'01010101010101010101010101010101', x'01010101010101010101010101010101', x'0101010101010101010101010101010101010101010101010101010101010101', x'0101010101010101010101010101010101010101010101010101010101010101', 1, 1794735000000, null);

insert into passkey (id, operator_id, credential_hash, sealed, counter, created_at, last_used_at)
  values (x'02020202020202020202020202020202', x'02020202020202020202020202020202', x'0202020202020202020202020202020202020202020202020202020202020202', x'0202020202020202020202020202020202020202020202020202020202020202', 1, 1794735000000, null);

insert into used_challenge (challenge_hash, expires_at)
  values (x'0101010101010101010101010101010101010101010101010101010101010101', 1794735000000);

insert into used_challenge (challenge_hash, expires_at)
  values (x'0202020202020202020202020202020202020202020202020202020202020202', 1794735000000);

insert into admin_token (id, token_hash, hint, name, role, created_at, expires_at, revoked_at, last_used_at, created_by)
  values (x'01010101010101010101010101010101', x'0101010101010101010101010101010101010101010101010101010101010101', 'abcd', 'ci', 'viewer', 1794735000000, null, null, null, null);

insert into admin_token (id, token_hash, hint, name, role, created_at, expires_at, revoked_at, last_used_at, created_by)
  values (x'02020202020202020202020202020202', x'0202020202020202020202020202020202020202020202020202020202020202', 'abcd', 'ci', 'viewer', 1794735000000, null, null, null, null);

insert into audit (seq, at, action, actor, object, details, hash)
  values (1, 1794735000000, 'token.created', 'command-line', null, x'0101010101010101010101010101010101010101010101010101010101010101', x'0101010101010101010101010101010101010101010101010101010101010101');

insert into audit (seq, at, action, actor, object, details, hash)
  values (2, 1794735000000, 'token.created', 'command-line', null, x'0202020202020202020202020202020202020202020202020202020202020202', x'0202020202020202020202020202020202020202020202020202020202020202');

insert into audit_head (id, seq, hash, seal, start_seq, start_hash, start_seal)
  values (1, 2, x'0202020202020202020202020202020202020202020202020202020202020202', null, 0, null, null);

insert into health_confirmation (name, key_id, confirmed_at)
  values ('backup', null, 1794735000000);

insert into health_confirmation (name, key_id, confirmed_at)
  values ('master key', null, 1794735000000);

insert into health_state (name, what, failing, since, told)
  values ('disk', 'disk', 1, 1794735000000, 0);

insert into health_state (name, what, failing, since, told)
  values ('queue', 'disk', 1, 1794735000000, 0);
