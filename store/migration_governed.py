"""The second step of the schema: memory that fades, is rated, is marked for renewal, and is forgotten for good."""

from __future__ import annotations

GOVERNED = """
-- Faded: out of recall, its text and evidence kept. To be renewed: part of what it rested on is gone.
alter table memory add column archived_at integer;
alter table memory add column renew_at integer;
create index memory_archived on memory(archived_at) where archived_at is not null;
create index memory_renew on memory(renew_at) where renew_at is not null;

create index memory_root on memory(root);

-- Trust is what feedback adds up to (the rows of `feedback` are the truth), so that it moves within a version.
drop trigger memory_is_immutable;
create trigger memory_is_immutable before update on memory
when old.kind <> 'turn' and (
  new.ulid is not old.ulid or new.root is not old.root or new.turn is not old.turn
  or new.scene is not old.scene or new.kind is not old.kind or new.user is not old.user
  or new.agent is not old.agent or new.session is not old.session or new.source is not old.source
  or new.workspace is not old.workspace or new.branch is not old.branch or new.origin is not old.origin
  or new.text is not old.text or new.line is not old.line or new.data is not old.data
  or new.slot is not old.slot or new.importance is not old.importance
  or new.confidence is not old.confidence
  or new.valid_from is not old.valid_from or new.valid_to is not old.valid_to
  or new.recorded_at is not old.recorded_at or new.expires_at is not old.expires_at
  or new.hash is not old.hash or new.meta is not old.meta)
begin select raise(abort, 'a memory is never changed; write a new version'); end;

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

-- What upkeep did last, of each of its tasks.
create table upkeep(
  name text primary key,
  ran_at integer not null,
  took_us integer not null,
  did integer not null,
  left_over integer not null default 0 check(left_over in (0, 1)),
  error text
) strict, without rowid;
"""
