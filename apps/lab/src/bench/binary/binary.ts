import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryOf } from '@postshelf/harness';
import type { Benchmark } from '../benchmark.ts';
import { inTurn, spreadOf } from '../in-turn.ts';
import { figure } from '../support/side-by-side.ts';
import { buildBareServer, buildProgram, startProgram } from './program.ts';

const START_ROUNDS = 15;
const MEMORY_ROUNDS = 3;

/** Milliseconds to wait without sending a request, so that Bun collects garbage and returns memory. */
const IDLE = 10_000;

const MB = 1e6;

export const binary: Benchmark = {
  about:
    'The program as one file runs `postshelf serve` in an empty folder. It is compared with a bare `Bun.serve` that is compiled ' +
    'in the same way. First answer: from spawning to the first byte from /health, with ffmpeg on the PATH. Memory: VmRSS ' +
    `${IDLE / 1000} s after the first answer. Command: from spawning to the end of \`postshelf workspaces list\` over SQLite.`,

  async run(progress) {
    const scratch = mkdtempSync(join(tmpdir(), 'postshelf-bench-'));
    try {
      progress('building');
      const ours = await buildProgram();
      const bare = await buildBareServer(scratch);
      progress('starting');
      const start = await inTurn(
        START_ROUNDS,
        () => firstAnswer([ours, 'serve']),
        () => firstAnswer([bare]),
      );
      progress('listing workspaces');
      const list = await commandTimes(ours, scratch);
      progress('idling');
      const memory = await inTurn(
        MEMORY_ROUNDS,
        () => idleMemory([ours, 'serve']),
        () => idleMemory([bare]),
      );
      return [
        { what: 'size', value: statSync(ours).size / MB, unit: 'MB', goal: { kind: 'at most', value: 130 } },
        { what: 'size, bare', value: statSync(bare).size / MB, unit: 'MB' },
        { ...figure('first answer', start.ours, 'ms'), goal: { kind: 'at most', value: 150 } },
        figure('first answer, bare', start.theirs, 'ms'),
        figure('command', spreadOf(list), 'ms'),
        figure('idle memory', memory.ours, 'MB'),
        figure('idle memory, bare', memory.theirs, 'MB'),
      ];
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  },
};

async function firstAnswer(command: readonly string[]): Promise<number> {
  const started = await startProgram(command);
  await started.end();
  return started.firstAnswer;
}

/** Returns the durations of a short command, in milliseconds, over a library in this folder. */
async function commandTimes(program: string, folder: string): Promise<readonly number[]> {
  const run = async (...args: readonly string[]): Promise<void> => {
    const child = Bun.spawn([program, ...args], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
    if ((await child.exited) !== 0) throw new Error(`${args.join(' ')} ended with ${child.exitCode}.`);
  };
  await run('migrate');
  const times: number[] = [];
  while (times.length < START_ROUNDS) {
    const start = performance.now();
    await run('workspaces', 'list');
    times.push(performance.now() - start);
  }
  return times;
}

async function idleMemory(command: readonly string[]): Promise<number> {
  const started = await startProgram(command);
  try {
    await Bun.sleep(IDLE);
    return (await memoryOf(started.pid)).now / MB;
  } finally {
    await started.end();
  }
}
