import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** How to start the program that a test is about. */
export interface Program {
  readonly command: readonly string[];
  /** The folder it is started in. */
  readonly cwd: string;
  /** All it gets of an environment before the settings. */
  readonly environment: Readonly<Record<string, string>>;
}

/** The root of this repository. */
export const REPOSITORY = resolve(import.meta.dir, '../../..');

/**
 * The threads for files that `npm start`, the unit and the container set, and what saves time in tests: no previews in
 * advance for every uploaded picture, and less compilation of code that a command runs once.
 */
const SETTINGS = { UV_THREADPOOL_SIZE: '8', PREVIEWS_AHEAD: 'false', BUN_JSC_startupJITDeferralScale: '4' };

/** The source in this repository, with what a process commonly inherits. */
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
 * A compiled program in an empty folder, with nothing in its environment but the path of ffmpeg and the settings that
 * save time.
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

/**
 * The program under test: the compiled one whose path is in `POSTSHELF_TEST_PROGRAM` if that is set (`npm run
 * test:binary`), otherwise the source.
 */
export const program: Program = given ? compiled(given) : fromSource();
