"""A worktree and its repository as git has them: nothing here knows of symbols, threads or the file."""
