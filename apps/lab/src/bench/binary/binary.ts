import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryOf } from '@postshelf/harness';
import type { Benchmark } from '../benchmark.ts';
import { inTurn } from '../in-turn.ts';
import { figure } from '../support/side-by-side.ts';
import { buildBareServer, buildProgram, startProgram } from './program.ts';

const START_ROUNDS = 15;
const MEMORY_ROUNDS = 3;

/** Milliseconds to wait without sending a request, so that Bun collects garbage and returns memory. */
const IDLE = 10_000;

const MB = 1e6;

export const binary: Benchmark = {
  about:
    'The program as one file, `postshelf serve` in an empty folder, beside a bare `Bun.serve` that is compiled the same way. ' +
    `First answer: from spawning to the first byte from /health, ffmpeg on the PATH. Memory: VmRSS ${IDLE / 1000} s after it.`,

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

async function idleMemory(command: readonly string[]): Promise<number> {
  const started = await startProgram(command);
  try {
    await Bun.sleep(IDLE);
    return (await memoryOf(started.pid)).now / MB;
  } finally {
    await started.end();
  }
}
