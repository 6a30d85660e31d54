/** Exit codes of all commands (docs/operating/commands.md). */
export const EXIT = {
  /** The command succeeded, or a service was stopped after all of its work had ended. */
  done: 0,
  /** The command failed or found problems, or a service was stopped while work was still running. */
  failed: 1,
  /** The command line was wrong, and nothing was started. */
  usage: 2,
  /** The reader closed standard output. Shells use the same code for SIGPIPE (128 + 13). */
  pipeClosed: 141,
} as const;
