import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

export interface Program {
  readonly command: readonly string[];
  readonly cwd: string;
  /** The whole environment of the program, before the settings are added. */
  readonly environment: Readonly<Record<string, string>>;
}

/** The root of this repository. */
export const REPOSITORY = resolve(import.meta.dir, '../../..');

/** The settings that `npm start`, the systemd unit and the container use, and some that save time in tests. */
const SETTINGS = {
  UV_THREADPOOL_SIZE: '8',
  BUN_JSC_thresholdForFTLOptimizeAfterWarmUp: '640000',
  BUN_JSC_startupJITDeferralScale: '4',
  PREVIEWS_AHEAD: 'false',
};

export function fromSource(): Program {
  const inherited = ['PATH', 'HOME', 'TMPDIR', 'LANG'].map((key) => [key, process.env[key]] as const);
  return {
    command: [join(REPOSITORY, 'node_modules/bun/bin/bun.exe'), join(REPOSITORY, 'apps/server/src/main.ts')],
    cwd: REPOSITORY,
    environment: {
      ...Object.fromEntries(inherited.filter((entry): entry is [string, string] => entry[1] !== undefined)),
      ...SETTINGS,
    },
  };
}

/**
 * A compiled program, run in an empty folder. Its environment has nothing but the path of ffmpeg and {@link SETTINGS}.
 */
export function compiled(path: string): Program {
  const ffmpeg = Bun.which('ffmpeg');
  const cwd = mkdtempSync(join(tmpdir(), 'postshelf-nothing-here-'));
  process.on('exit', () => rmSync(cwd, { recursive: true, force: true }));
  return {
    command: [resolve(path)],
    cwd,
    environment: { ...SETTINGS, ...(ffmpeg !== null && { FFMPEG_PATH: ffmpeg }) },
  };
}

const given = process.env.POSTSHELF_TEST_PROGRAM;

/** The program that `POSTSHELF_TEST_PROGRAM` names, otherwise the program run from its source. */
export const program: Program = given ? compiled(given) : fromSource();
