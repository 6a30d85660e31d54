import { expect, test } from 'bun:test';
import { inBatches } from '../../src/telemetry/log/in-batches.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('writes the lines of one turn of the event loop together and in order', async () => {
  const written: string[] = [];
  const lines = inBatches((batch) => written.push(batch));
  lines.write('1\n');
  lines.write('2\n');
  expect(written).toEqual([]);
  await turn();
  lines.write('3\n');
  await turn();
  await turn();
  expect(written).toEqual(['1\n2\n', '3\n']);
});

test('writes a long batch at once', async () => {
  const written: number[] = [];
  const lines = inBatches(({ length }) => written.push(length));
  for (let line = 0; line < 200; line += 1) lines.write(`${'x'.repeat(99)}\n`);
  expect(written).toEqual([16_400]);
  await turn();
  expect(written).toEqual([16_400, 3_600]);
});

test('writes what is left, and what comes while the process exits', () => {
  const program = `
    import { inBatches } from '${import.meta.dir}/../../src/telemetry/log/in-batches.ts';
    const lines = inBatches((batch) => process.stdout.write(batch));
    process.on('exit', () => lines.write('noted\\n'));
    lines.write('said\\n');
    process.exit(0);
  `;
  const { stdout } = Bun.spawnSync([process.execPath, '-e', program]);
  expect(stdout.toString()).toBe('said\nnoted\n');
});
