import { expect, test } from 'bun:test';
import { openSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Output } from '../../src/telemetry/log/output.ts';

test('lines are written together and in order at the end of an event loop turn, or once they exceed 16 KB', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'postshelf-output-'));
  try {
    const file = join(folder, 'log');
    const output = new Output(openSync(file, 'a'));
    const read = () => readFileSync(file, 'utf8');
    output.write('one\n');
    output.write('two\n');
    expect(read()).toBe('');
    await nextTurn();
    expect(read()).toBe('one\ntwo\n');
    const long = `${'a'.repeat(16 * 1024)}\n`;
    output.write(long);
    output.write('last\n');
    expect(read()).toBe(`one\ntwo\n${long}`);
    await nextTurn();
    expect(read()).toBe(`one\ntwo\n${long}last\n`);
  } finally {
    await rm(folder, { recursive: true });
  }
});
