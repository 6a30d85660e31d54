/** Exit codes of all commands (docs/operating/commands.md). */
export const EXIT = {
  /** Done; a service was stopped, and all its work ended. */
  done: 0,
  /** Not done, or problems were found; a service was stopped, and cut work off. */
  failed: 1,
  /** The command line was wrong, and nothing was begun. */
  usage: 2,
  /** The reader of standard output went away, as shells report it for SIGPIPE (128 + 13). */
  pipeClosed: 141,
} as const;
