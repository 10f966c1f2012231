"""
What can go wrong, as a caller would treat it.

    BackstoryError
    ├── BadInput            refused; nothing was written; the message says what to send instead
    │   ├── NotFound        no row answers to that id
    │   └── NotYet          a value the design knows and this version does not
    ├── StoreBusy           another process holds the file longer than we may wait; try again
    ├── StoreTooNew         the file was written by a newer Backstory; it is opened read-only
    ├── StoreDamaged        the file cannot be read as ours; a copy is kept, `doctor` names the cure
    ├── WrongDimension      a vector was made by another embedding model
    ├── EmbedderUnavailable no vector can be made now; words alone go on
    ├── GitFailed           git could not do what was asked of it; the worktree is looked at again later
    └── ObjectGone          a repository no longer has what a snapshot is made of; the worktree is followed anew
"""


class BackstoryError(Exception):
    """Anything Backstory raises on purpose; its message is a sentence for a person."""


class BadInput(BackstoryError):
    """What was asked cannot be done as asked; nothing was written."""


class NotFound(BadInput):
    """No row answers to that id."""


class NotYet(BadInput):
    """A value the design knows and this version does not act on."""


class StoreBusy(BackstoryError):
    """The file stayed locked for as long as the caller may wait."""


class StoreTooNew(BackstoryError):
    """The file carries a schema newer than this program."""


class StoreDamaged(BackstoryError):
    """The file is not a database of ours, or fails its own checks."""


class WrongDimension(BackstoryError):
    """A vector's length is not that of the index it was brought to."""


class EmbedderUnavailable(BackstoryError):
    """The embedder cannot make a vector now."""


class GitFailed(BackstoryError):
    """Git could not do what was asked of it; the message says which command and what git said."""


class ObjectGone(BackstoryError):
    """A tree is no longer in the repository, as after the user's `git gc`."""
