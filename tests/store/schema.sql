create table setting(
  name text primary key,
  value text not null
) strict;

create table workspace(
  id integer primary key autoincrement,
  ulid text not null unique,
  name text not null,
  same_as integer references workspace(id),
  created_at integer not null
) strict;

create index workspace_same on workspace(same_as);

create table workspace_key(
  key text primary key,
  kind text not null check(kind in ('remote', 'common_dir', 'folder')),
  workspace integer not null references workspace(id) on delete cascade,
  created_at integer not null
) strict, without rowid;

create index workspace_key_workspace on workspace_key(workspace);

create table session(
  source text not null,
  session text not null,
  user text not null,
  workspace integer references workspace(id),
  kind text not null default 'interactive'
  check(kind in ('interactive', 'background', 'subagent', 'scheduled', 'import')),
  started_at integer not null,
  context_at integer not null,
  ended_at integer,
  end_reason text,
  primary key(source, session)
) strict, without rowid;

create index session_workspace on session(workspace);

create table turn(
  id integer primary key autoincrement,
  ulid text not null unique,
  user text not null,
  agent text,
  source text not null,
  session text not null,
  prompt_id text not null,
  session_kind text not null default 'interactive',
  workspace integer references workspace(id),
  folder text,
  branch text,
  head text,
  scene text check(scene in ('chat', 'working', 'coding')),
  status text not null default 'open' check(status in ('open', 'done', 'interrupted')),
  started_at integer not null,
  ended_at integer,
  refined_at integer,
  utc_offset_s integer not null default 0,
  unique(source, session, prompt_id)
) strict;

create index turn_open on turn(status) where status = 'open';

create index turn_session on turn(source, session, started_at);

create index turn_workspace on turn(workspace, started_at);

create table turn_alias(
  source text not null,
  session text not null,
  prompt_id text not null,
  turn integer references turn(id),
  primary key(source, session, prompt_id)
) strict, without rowid;

create index turn_alias_turn on turn_alias(turn);

create table event(
  id integer primary key autoincrement,
  ulid text not null unique,
  turn integer not null references turn(id),
  seq integer not null,
  key text not null,
  role text not null check(role in ('user', 'assistant', 'tool', 'system')),
  kind text not null check(kind in ('prompt', 'reply', 'tool', 'edit', 'commit', 'subagent', 'message', 'note')),
  content text not null,
  tool text,
  ok integer check(ok in (0, 1)),
  origin text not null check(origin in ('user', 'agent', 'tool', 'external', 'import')),
  data text not null default '{}' check(json_valid(data)),
  hash text not null,
  occurred_at integer not null,
  recorded_at integer not null, blanked_at integer,
  unique(turn, key),
  unique(turn, seq)
) strict;

create trigger event_is_immutable before update on event
when new.id is not old.id or new.ulid is not old.ulid or new.turn is not old.turn or new.seq is not old.seq
  or new.role is not old.role or new.kind is not old.kind
  or new.tool is not old.tool or new.ok is not old.ok or new.origin is not old.origin
  or new.occurred_at is not old.occurred_at or new.recorded_at is not old.recorded_at
  or ((new.content is not old.content or new.data is not old.data or new.hash is not old.hash
  or new.key is not old.key)
  and (new.blanked_at is null or length(new.content) <> length(old.content)))
begin select raise(abort, 'an event is never changed; only forgotten quotes are blanked'); end;

create table memory(
  id integer primary key autoincrement,
  ulid text not null unique,
  root text not null,
  turn integer references turn(id),
  scene text not null check(scene in ('chat', 'working', 'coding')),
  kind text not null check(kind in ('profile', 'turn', 'fact', 'summary', 'schema', 'intention', 'experience')),
  user text not null,
  agent text,
  session text,
  source text,
  workspace integer references workspace(id),
  branch text,
  origin text not null check(origin in ('user', 'agent', 'tool', 'external', 'import')),
  text text not null check(text <> ''),
  line text,
  data text not null default '{}' check(json_valid(data)),
  slot text,
  importance real not null default 0.5 check(importance between 0 and 1),
  confidence real not null default 1 check(confidence between 0 and 1),
  trust real not null default 0.5 check(trust between 0 and 1),
  valid_from integer,
  valid_to integer,
  recorded_at integer not null,
  imported_at integer,
  retired_at integer,
  retired_why text,
  expires_at integer,
  hash text not null,
  uses integer not null default 0,
  used_at integer,
  meta text not null default '{}' check(json_valid(meta)), archived_at integer, renew_at integer, named integer not null default 0,
  check(valid_to is null or valid_from is null or valid_from <= valid_to),
  check((retired_at is null) = (retired_why is null))
) strict;

create index memory_archived on memory(id) where archived_at is not null;

create index memory_displaced on memory(user, slot) where retired_why = 'another file had a newer one';

create index memory_ends on memory(valid_to)
  where valid_to is not null and retired_at is null and archived_at is null;

create index memory_expires on memory(expires_at)
  where expires_at is not null and retired_at is null and archived_at is null;

create index memory_hash on memory(hash) where retired_at is null;

create index memory_intention on memory(expires_at) where kind = 'intention' and retired_at is null;

create unique index memory_live_root on memory(root) where retired_at is null and valid_to is null;

create unique index memory_live_slot
  on memory(user, ifnull(workspace, 0), slot, ifnull(json_extract(data, '$.rival'), ''))
  where slot is not null and retired_at is null and valid_to is null;

create index memory_named on memory(named);

create index memory_of_turn on memory(turn) where turn is not null;

create index memory_profile on memory(user, importance) where kind = 'profile' and retired_at is null;

create index memory_renew on memory(renew_at) where renew_at is not null;

create index memory_root on memory(root);

create index memory_session on memory(session) where session is not null;

create index memory_slot on memory(user, slot) where slot is not null and retired_at is null;

create unique index memory_turn on memory(turn) where kind = 'turn' and retired_at is null;

create index memory_when on memory(user, coalesce(valid_from, recorded_at));

create index memory_workspace on memory(workspace, kind, coalesce(valid_from, recorded_at));

create trigger memory_is_immutable before update on memory
when old.kind <> 'turn' and (
  new.ulid is not old.ulid or new.root is not old.root
  or new.scene is not old.scene or new.kind is not old.kind or new.user is not old.user
  or new.source is not old.source or new.workspace is not old.workspace or new.origin is not old.origin
  -- Where it came from can be forgotten under a memory that has other legs.
  or (new.turn is not old.turn and new.turn is not null)
  or (new.agent is not old.agent and new.agent is not null)
  or (new.session is not old.session and new.session is not null)
  or (new.branch is not old.branch and new.branch is not null)
  or new.text is not old.text or new.line is not old.line or new.data is not old.data
  or new.slot is not old.slot or new.importance is not old.importance
  or new.confidence is not old.confidence
  or new.valid_from is not old.valid_from or new.valid_to is not old.valid_to
  or new.recorded_at is not old.recorded_at or new.expires_at is not old.expires_at
  or new.hash is not old.hash or new.meta is not old.meta)
begin select raise(abort, 'a memory is never changed; write a new version'); end;

create trigger memory_retires_once before update of retired_at on memory
when old.retired_at is not null and new.retired_at is not old.retired_at
  and old.retired_why <> 'another file had a newer one' and ifnull(new.retired_at > old.retired_at, 1)
begin select raise(abort, 'a memory is retired once'); end;

create table evidence(
  id integer primary key,
  memory integer not null references memory(id) on delete cascade,
  event integer not null references event(id),
  quote text,
  start integer,
  end integer,
  check(quote is not null or (start is not null and end is not null))
) strict;

create index evidence_event on evidence(event);

create index evidence_memory on evidence(memory);

create table link(
  source integer not null references memory(id) on delete cascade,
  target integer not null references memory(id) on delete cascade,
  kind text not null check(kind in ('supersedes', 'derived_from', 'part_of', 'contradicts', 'same_task')),
  data text not null default '{}' check(json_valid(data)),
  created_at integer not null,
  primary key(source, target, kind)
) strict, without rowid;

create index link_target on link(target, kind);

create table entity(
  id integer primary key autoincrement,
  kind text not null check(kind in ('symbol', 'file', 'branch', 'version', 'person', 'thing')),
  name text not null,
  unique(kind, name)
) strict;

create table memory_entity(
  entity integer not null references entity(id) on delete cascade,
  memory integer not null references memory(id) on delete cascade,
  primary key(entity, memory)
) strict, without rowid;

create index memory_entity_memory on memory_entity(memory);

create trigger memory_entity_gone after delete on memory_entity
when not exists (select 1 from memory_entity where entity = old.entity)
begin delete from entity where id = old.entity; end;

create table terms(
  memory integer primary key references memory(id) on delete cascade,
  main text not null,
  sub text not null,
  grams text not null,
  version integer not null
) strict;

create trigger terms_delete after delete on terms begin
  insert into terms_fts(terms_fts, rowid, main, sub, grams) values ('delete', old.memory, old.main, old.sub, old.grams);
end;

create trigger terms_insert after insert on terms begin
  insert into terms_fts(rowid, main, sub, grams) values (new.memory, new.main, new.sub, new.grams);
end;

create trigger terms_update after update on terms begin
  insert into terms_fts(terms_fts, rowid, main, sub, grams) values ('delete', old.memory, old.main, old.sub, old.grams);
  insert into terms_fts(rowid, main, sub, grams) values (new.memory, new.main, new.sub, new.grams);
end;

create virtual table terms_fts using fts5(
  main, sub, grams, content='terms', content_rowid='memory', tokenize='unicode61 remove_diacritics 0 categories ''L* M* N* P* S* Co''');

create virtual table terms_vocab using fts5vocab(terms_fts, 'row');

create table past_terms(
  memory integer primary key references memory(id) on delete cascade,
  main text not null,
  sub text not null,
  grams text not null,
  version integer not null
) strict;

create trigger past_terms_delete after delete on past_terms begin
  insert into past_fts(past_fts, rowid, main, sub, grams) values ('delete', old.memory, old.main, old.sub, old.grams);
end;

create trigger past_terms_insert after insert on past_terms begin
  insert into past_fts(rowid, main, sub, grams) values (new.memory, new.main, new.sub, new.grams);
end;

create virtual table past_fts using fts5(
  main, sub, grams, content='past_terms', content_rowid='memory', tokenize='unicode61 remove_diacritics 0 categories ''L* M* N* P* S* Co''');

create table vector_index(
  id integer primary key autoincrement,
  model text not null unique,
  dim integer not null check(dim > 0),
  state text not null check(state in ('building', 'serving', 'leaving')),
  created_at integer not null
) strict;

create table embedding(
  memory integer not null references memory(id) on delete cascade,
  model integer not null references vector_index(id),
  v blob not null,
  created_at integer not null,
  primary key(memory, model)
) strict;

create index embedding_model on embedding(model, memory);

create table job(
  id integer primary key autoincrement,
  kind text not null,
  key text not null,
  payload text not null default '{}' check(json_valid(payload)),
  state text not null default 'waiting' check(state in ('waiting', 'running', 'failed')),
  tries integer not null default 0,
  not_before_at integer not null default 0,
  lease_until_at integer,
  owner text,
  error text,
  created_at integer not null,
  unique(kind, key)
) strict;

create index job_next on job(kind, state, not_before_at, id);

create table lease(
  name text primary key,
  owner text not null,
  until_at integer not null
) strict, without rowid;

create table run(
  id integer primary key autoincrement,
  turn integer references turn(id),
  step text not null,
  verdict text not null,
  reason text not null default '',
  memories text not null default '[]' check(json_valid(memories)),
  model text,
  tokens_in integer not null default 0,
  tokens_out integer not null default 0,
  took_us integer not null default 0,
  prompt_hash text,
  prompt_chars integer,
  answer_hash text,
  answer_chars integer,
  prompt text,
  answer text,
  ran_at integer not null
) strict;

create index run_memories on run(memories) where memories <> '[]';

create index run_time on run(ran_at);

create index run_turn on run(turn);

create table model_call(
  id integer primary key autoincrement,
  day text not null,
  step text not null,
  model text not null,
  state text not null default 'reserved' check(state in ('reserved', 'settled', 'failed')),
  reserved_tokens integer not null check(reserved_tokens >= 0),
  tokens_in integer not null default 0 check(tokens_in >= 0),
  tokens_out integer not null default 0 check(tokens_out >= 0),
  estimated integer not null default 0 check(estimated in (0, 1)),
  took_us integer not null default 0,
  verdict text not null default '',
  called_at integer not null
) strict;

create index model_call_day on model_call(day);

create table delivery(
  source text not null,
  session text not null,
  root text not null,
  hash text not null,
  how text not null check(how in ('hook', 'digest', 'tool', 'own')),
  chars integer not null,
  given_at integer not null,
  primary key(source, session, root)
) strict, without rowid;

create index delivery_time on delivery(given_at);

create table body(
  id integer primary key autoincrement,
  hash blob not null unique,
  size integer not null,
  packed blob not null
  , salt text) strict;

create table change(
  id integer primary key autoincrement,
  ulid text not null unique,
  user text not null,
  workspace integer not null references workspace(id),
  worktree text not null,
  actor text not null check(actor in ('agent', 'human', 'git')),
  turn integer references turn(id),
  event integer references event(id),
  words text,
  branch text,
  head_before text,
  head_after text,
  bulk integer not null default 0 check(bulk in (0, 1)),
  files integer not null,
  happened_at integer not null,
  recorded_at integer not null
) strict;

create index change_event on change(event);

create index change_turn on change(turn);

create index change_workspace on change(workspace, happened_at);

create table change_file(
  id integer primary key autoincrement,
  change integer not null references change(id) on delete cascade,
  path text not null,
  old_path text,
  status text not null,
  named text,
  before_id text,
  after_id text
) strict;

create index change_file_change on change_file(change);

create index change_file_old_path on change_file(old_path) where old_path is not null;

create index change_file_path on change_file(path);

create table place(
  id integer primary key,
  workspace integer not null references workspace(id),
  path text not null,
  symbol text not null,
  unique(workspace, path, symbol)
) strict;

create index place_symbol on place(workspace, symbol);

create table thread(
  id integer primary key autoincrement,
  ulid text not null unique,
  user text not null,
  workspace integer not null references workspace(id),
  kind text not null check(kind in ('symbol', 'region', 'file')),
  created_at integer not null
) strict;

create index thread_workspace on thread(workspace);

create table thread_name(
  id integer primary key,
  thread integer not null references thread(id) on delete cascade,
  branch text not null,
  place integer not null references place(id),
  at integer not null
) strict;

create index thread_name_place on thread_name(place);

create index thread_name_thread on thread_name(thread, branch, at);

create table round(
  id integer primary key autoincrement,
  thread integer not null references thread(id) on delete cascade,
  n integer not null,
  parent integer references round(id) on delete set null,
  change integer not null references change(id),
  place integer not null references place(id),
  status text not null,
  before integer references body(id),
  after integer references body(id),
  patch blob not null,
  patch_id blob,
  start_line integer not null,
  end_line integer not null,
  confidence text not null default 'high' check(confidence in ('high', 'low')),
  unique(thread, n)
) strict;

create index round_after on round(after) where after is not null;

create index round_before on round(before) where before is not null;

create index round_change on round(change);

create index round_parent on round(parent) where parent is not null;

create index round_patch on round(patch_id) where patch_id is not null;

create index round_place on round(place);

create table round_commit(
  round integer not null references round(id) on delete cascade,
  commit_id text not null,
  primary key(round, commit_id)
) strict, without rowid;

create index round_commit_commit on round_commit(commit_id);

create table region(
  thread integer not null references thread(id) on delete cascade,
  branch text not null,
  path text not null,
  start_line integer not null,
  end_line integer not null,
  primary key(thread, branch)
) strict, without rowid;

create index region_path on region(path, branch);

create table followed(
  worktree text primary key,
  snapshot text not null,
  seen_at integer not null
) strict, without rowid;

create table ancestry(
  head text not null,
  commit_id text not null,
  reachable integer not null check(reachable in (0, 1)),
  primary key(head, commit_id)
) strict, without rowid;

create table feedback(
  id integer primary key,
  ulid text not null unique,
  root text not null,
  verdict text not null check(verdict in ('helpful', 'unhelpful', 'wrong')),
  source text,
  session text,
  given_at integer not null
) strict;

create index feedback_root on feedback(root);

create table tombstone(
  kind text not null check(kind in ('row', 'key', 'content', 'blank')),
  value text not null,
  salt text not null default '',
  data text not null default '{}' check(json_valid(data)),
  created_at integer not null,
  primary key(kind, value)
) strict, without rowid;

create index tombstone_salt on tombstone(salt, kind);

create table likeness(
  memory integer primary key references memory(id) on delete cascade,
  key text not null,
  version integer not null
) strict;

create index likeness_key on likeness(key, memory) where key <> '';

create index likeness_version on likeness(version);

create table upkeep(
  name text primary key,
  ran_at integer not null,
  took_us integer not null,
  did integer not null,
  left_over integer not null default 0 check(left_over in (0, 1)),
  error text
) strict, without rowid;

create table entity_form(
  form text not null,
  entity integer not null references entity(id) on delete cascade,
  primary key(form, entity)
) strict, without rowid;

create index entity_form_entity on entity_form(entity);

create table entity_alias(
  alias text not null,
  entity integer not null references entity(id) on delete cascade,
  memory integer not null references memory(id) on delete cascade,
  primary key(alias, entity, memory)
) strict, without rowid;

create index entity_alias_entity on entity_alias(entity);

create index entity_alias_memory on entity_alias(memory);
