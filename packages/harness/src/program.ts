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
 * Tests that aren't about it are spared what is made ahead of the asking, for every picture that they upload, and the
 * compilation of what a command runs once, as the service spares itself (apps/server/src/compose/host/start-anew.ts).
 */
const QUIET = { PREVIEWS_AHEAD: 'false', BUN_JSC_startupJITDeferralScale: '4' };

/** The source in this repository, with what a process commonly inherits. */
export function fromSource(): Program {
  const inherited = ['PATH', 'HOME', 'TMPDIR', 'LANG'].map((key) => [key, process.env[key]] as const);
  return {
    command: [join(REPOSITORY, 'node_modules/bun/bin/bun.exe'), join(REPOSITORY, 'apps/server/src/main.ts')],
    cwd: REPOSITORY,
    environment: {
      ...Object.fromEntries(inherited.filter((entry): entry is [string, string] => entry[1] !== undefined)),
      ...QUIET,
    },
  };
}

/** A compiled program, alone in an empty folder, with nothing said to it but where ffmpeg is, and that it has no previews to make ahead. */
export function compiled(path: string): Program {
  const ffmpeg = Bun.which('ffmpeg');
  const cwd = mkdtempSync(join(tmpdir(), 'postshelf-nothing-here-'));
  process.on('exit', () => rmSync(cwd, { recursive: true, force: true }));
  return { command: [resolve(path)], cwd, environment: { ...QUIET, ...(ffmpeg !== null && { FFMPEG_PATH: ffmpeg }) } };
}

const given = process.env.POSTSHELF_TEST_PROGRAM;

/** The source; the compiled program whose path `POSTSHELF_TEST_PROGRAM` holds, where it does (`npm run test:binary`). */
export const program: Program = given ? compiled(given) : fromSource();
