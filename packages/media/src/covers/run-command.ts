export interface RunCommandOptions {
  /** A file descriptor to read as standard input; nothing when absent. */
  readonly stdin?: number;
  /** One more file descriptor that the command has, as its third; none when absent. */
  readonly file?: number;
  /** Bytes of standard output. One more ends the command. */
  readonly maxOutput: number;
  /** Ends the command when it aborts. */
  readonly signal: AbortSignal;
  /** Called with what the command writes, as it comes. */
  readonly onOutput?: (chunk: Uint8Array) => void;
}

/**
 * Runs a command with an empty environment, in a process group of its own, and answers what it wrote to standard
 * output. null when it can't be started, fails, writes too much or is aborted. However it ends, its group is killed: it
 * leaves no process behind.
 */
export async function runCommand(command: readonly string[], options: RunCommandOptions): Promise<Uint8Array | null> {
  const ended = await runToEnd(command, options);
  return ended?.exitCode === 0 ? ended.output : null;
}

/** How a command ended. */
export interface Ended {
  /** null where it wrote too much. */
  readonly output: Uint8Array | null;
  /** null where a signal ended it. */
  readonly exitCode: number | null;
  /** Whether SIGKILL ended it, ours or another. */
  readonly killed: boolean;
}

/** As {@link runCommand}, and answers how the command ended. null when it can't be started, or is aborted before. */
export async function runToEnd(command: readonly string[], options: RunCommandOptions): Promise<Ended | null> {
  if (options.signal.aborted) return null;
  const child = start(command, options);
  if (child === null) return null;
  const kill = () => killGroup(child.pid);
  options.signal.addEventListener('abort', kill);
  try {
    const output = await collect(child.stdout, options);
    if (output === null) kill();
    await child.exited;
    return { output, exitCode: child.exitCode, killed: child.signalCode === 'SIGKILL' };
  } finally {
    options.signal.removeEventListener('abort', kill);
    kill();
  }
}

function start(command: readonly string[], { stdin, file, maxOutput }: RunCommandOptions) {
  try {
    return Bun.spawn([...command], {
      env: {},
      cwd: '/',
      detached: true,
      stdio: [stdin ?? 'ignore', 'pipe', 'ignore', ...(file === undefined ? [] : [file])],
      // Bun reads as long as there is anything to read, and a command that writes quickly keeps it from ever asking us.
      maxBuffer: maxOutput,
      killSignal: 'SIGKILL',
    });
  } catch {
    // Missing or not executable: null, as for every other failure.
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
    if (!isGone(error)) throw error;
  }
}

/** ESRCH, or what macOS says of a group whose last process has ended. */
const isGone = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ESRCH' || error.code === 'EPERM');
