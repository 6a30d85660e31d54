import { run } from './run-command.ts';

export interface Ffmpeg {
  /** Absolute, where it was found on PATH. */
  readonly path: string;
  /** As it calls itself, `5.1.9` or `N-118448-g43be8d0` for example. */
  readonly version: string;
}

const TIMEOUT_MS = 5000;
const MAX_OUTPUT = 64 * 1024;

/** The ffmpeg to use: the configured one, else the first on PATH. null when there is none or it doesn't run. */
export async function findFfmpeg(configured?: string): Promise<Ffmpeg | null> {
  const path = Bun.which(configured ?? 'ffmpeg');
  if (path === null) return null;
  const output = await run([path, '-hide_banner', '-version'], {
    maxOutput: MAX_OUTPUT,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const version = output && /^ffmpeg version (\S+)/.exec(new TextDecoder().decode(output))?.[1];
  return version ? { path, version } : null;
}
