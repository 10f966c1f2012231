"""The second step of the schema: memory that fades, is rated, is marked for renewal, and is forgotten for good."""

from __future__ import annotations

GOVERNED = """
-- Faded: out of recall, its text and evidence kept. To be renewed: part of what it rested on is gone.
alter table memory add column archived_at integer;
alter table memory add column renew_at integer;
create index memory_archived on memory(id) where archived_at is not null;
-- What is over is looked for among what ends at all, not among everything.
create index memory_ends on memory(valid_to)
  where valid_to is not null and retired_at is null and archived_at is null;
create index memory_expires on memory(expires_at)
  where expires_at is not null and retired_at is null and archived_at is null;
create index memory_renew on memory(renew_at) where renew_at is not null;

-- A slot has its line in time, not only its holder. Where it cannot be told which of two is so, both hold it: all but
-- the first say so of themselves.
drop index memory_live_slot;
create unique index memory_live_slot
  on memory(user, ifnull(workspace, 0), slot, ifnull(json_extract(data, '$.rival'), ''))
  where slot is not null and retired_at is null and valid_to is null;
create index memory_root on memory(root);
create index memory_slot on memory(user, slot) where slot is not null and retired_at is null;

-- Trust is what feedback adds up to (the rows of `feedback` are the truth), so that it moves within a version.
drop trigger memory_is_immutable;
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

-- Of two files that retired the same version, the earlier day stands; what only the other file's newer one had
-- displaced is displaced by whatever is found to be newer next.
drop trigger memory_retires_once;
create trigger memory_retires_once before update of retired_at on memory
when old.retired_at is not null and new.retired_at is not old.retired_at
  and old.retired_why <> 'another file had a newer one' and ifnull(new.retired_at > old.retired_at, 1)
begin select raise(abort, 'a memory is retired once'); end;
create index memory_displaced on memory(user, slot) where retired_why = 'another file had a newer one';

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

-- An event never changes, but for quotes that are forgotten: blanked in place, so that other quotes keep theirs.
alter table event add column blanked_at integer;
create trigger event_is_immutable before update on event
when new.id is not old.id or new.ulid is not old.ulid or new.turn is not old.turn or new.seq is not old.seq
  or new.role is not old.role or new.kind is not old.kind
  or new.tool is not old.tool or new.ok is not old.ok or new.origin is not old.origin
  or new.occurred_at is not old.occurred_at or new.recorded_at is not old.recorded_at
  or ((new.content is not old.content or new.data is not old.data or new.hash is not old.hash
       or new.key is not old.key)
      and (new.blanked_at is null or length(new.content) <> length(old.content)))
begin select raise(abort, 'an event is never changed; only forgotten quotes are blanked'); end;

-- What was forgotten stays so. `row`: the ULID of what went. `key`: by what a client would send an event again;
-- `content`: what it said; both hashed under a salt. `blank`: of an event that stands, the spans.
drop table tombstone;
create table tombstone(
  kind text not null check(kind in ('row', 'key', 'content', 'blank')),
  value text not null,
  salt text not null default '',
  data text not null default '{}' check(json_valid(data)),
  created_at integer not null,
  primary key(kind, value)
) strict, without rowid;
create index tombstone_salt on tombstone(salt, kind);

-- A body that came from another file with a secret marked in it keeps the name that it had there, made with that salt.
alter table body add column salt text;

-- What a memory says as one short key: the same for all that say the same, or the opposite, of the same things. A
-- memory beyond the last row here has none yet; one that is not compared has an empty one.
create table likeness(
  memory integer primary key references memory(id) on delete cascade,
  key text not null,
  version integer not null
) strict;
create index likeness_key on likeness(key, memory) where key <> '';
create index likeness_version on likeness(version);

-- What upkeep did last, of each of its tasks.
create table upkeep(
  name text primary key,
  ran_at integer not null,
  took_us integer not null,
  did integer not null,
  left_over integer not null default 0 check(left_over in (0, 1)),
  error text
) strict, without rowid;

-- What memories name. Which reading of a text made its links: 0 for none yet, so that older ones are found.
alter table memory add column named integer not null default 0;
create index memory_named on memory(named);
-- What may stand for an entity's name, and for others', too: utils.py for src/a/utils.py.
create table entity_form(
  form text not null,
  entity integer not null references entity(id) on delete cascade,
  primary key(form, entity)
) strict, without rowid;
create index entity_form_entity on entity_form(entity);
-- Another name of an entity, by the memory that says so.
drop table entity_alias;
create table entity_alias(
  alias text not null,
  entity integer not null references entity(id) on delete cascade,
  memory integer not null references memory(id) on delete cascade,
  primary key(alias, entity, memory)
) strict, without rowid;
create index entity_alias_entity on entity_alias(entity);
create index entity_alias_memory on entity_alias(memory);
-- By which name a file went before.
create index change_file_old_path on change_file(old_path) where old_path is not null;
-- What no memory names any more leaves no byte.
create trigger memory_entity_gone after delete on memory_entity
when not exists (select 1 from memory_entity where entity = old.entity)
begin delete from entity where id = old.entity; end;
"""
