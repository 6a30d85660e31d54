export interface RunCommandOptions {
  /** A file descriptor that becomes the standard input. Default: the input is empty. */
  readonly stdin?: number;
  /** Further file descriptors for the command, which become its descriptors 3, 4 and so on. */
  readonly files?: readonly number[];
  /** The stream that is read as the output. The other stream is discarded. Default: `stdout`. */
  readonly reads?: 'stdout' | 'stderr';
  /** Maximum bytes of output. A further byte ends the command. */
  readonly maxOutput: number;
  /** Ends the command when the signal is aborted. */
  readonly signal: AbortSignal;
  readonly onOutput?: (chunk: Uint8Array) => void;
}

/**
 * Runs a command with an empty environment in a process group of its own. The group is killed, however the command
 * ends. Returns the output, or null if the command can't be started, fails, writes too much or is aborted.
 */
export async function runCommand(command: readonly string[], options: RunCommandOptions): Promise<Uint8Array | null> {
  const ended = await runForOutcome(command, options);
  return ended?.exitCode === 0 ? ended.output : null;
}

export interface CommandOutcome {
  /** The output; null if it was too long. */
  readonly output: Uint8Array | null;
  /** The exit code; null if a signal ended the command. */
  readonly exitCode: number | null;
  /** Whether a SIGKILL from this or any other process ended the command. */
  readonly killed: boolean;
}

/**
 * Like {@link runCommand}, but returns how the command ended; null if it can't be started, or was aborted before it was
 * started.
 */
export async function runForOutcome(
  command: readonly string[],
  options: RunCommandOptions,
): Promise<CommandOutcome | null> {
  if (options.signal.aborted) return null;
  const started = start(command, options);
  if (started === null) return null;
  const { child } = started;
  const kill = () => killGroup(child.pid);
  options.signal.addEventListener('abort', kill);
  try {
    const output = await collect(started.output, options);
    if (output === null) kill();
    await child.exited;
    return { output, exitCode: child.exitCode, killed: child.signalCode === 'SIGKILL' };
  } finally {
    options.signal.removeEventListener('abort', kill);
    kill();
  }
}

function start(command: readonly string[], { stdin, files = [], maxOutput, reads = 'stdout' }: RunCommandOptions) {
  const words = [...command];
  const options = {
    env: {},
    cwd: '/',
    detached: true,
    // Without `maxBuffer`, a command that writes quickly would keep Bun from ever passing on its output.
    maxBuffer: maxOutput,
    killSignal: 'SIGKILL',
  } as const;
  try {
    if (reads === 'stdout') {
      const child = Bun.spawn(words, { ...options, stdio: [stdin ?? 'ignore', 'pipe', 'ignore', ...files] });
      return { child, output: child.stdout };
    }
    const child = Bun.spawn(words, { ...options, stdio: [stdin ?? 'ignore', 'ignore', 'pipe', ...files] });
    return { child, output: child.stderr };
  } catch {
    // A command that is missing or not executable is handled like every other failure.
    return null;
  }
}

async function collect(
  stream: AsyncIterable<Uint8Array>,
  { maxOutput, onOutput }: RunCommandOptions,
): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream) {
    length += chunk.length;
    if (length > maxOutput) return null;
    onOutput?.(chunk);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if (!hasEnded(error)) throw error;
  }
}

/** Whether the group has ended: ESRCH, or macOS's error for a group whose last process has ended. */
const hasEnded = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ESRCH' || error.code === 'EPERM');
