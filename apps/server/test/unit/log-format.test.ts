import { expect, test } from 'bun:test';
import { fatalLine, showError, withPriority } from '../../src/telemetry/log/log.ts';

test.each([
  ['trace', 7],
  ['debug', 7],
  ['info', 6],
  ['warn', 4],
  ['error', 3],
  ['fatal', 2],
  // None of ours; it must be told all the same.
  ['loud', 6],
])('a line of level %s has the priority %i of the journal in front', (level, priority) => {
  const line = `${JSON.stringify({ level, msg: 'x' })}\n`;
  expect(withPriority(line)).toBe(`<${priority}>${line}`);
});

test('the reason why a start fails is a line of the log, without secrets', () => {
  const message = 'DATABASE_URL: cannot reach postgres://shelf:hunter2@db/shelf';
  expect(fatalLine('pretty', message, null)).toBeNull();
  const line = fatalLine('json', message, null) ?? '';
  expect(line).toEndWith('\n');
  expect(JSON.parse(line)).toEqual({
    level: 'fatal',
    time: expect.stringMatching(/^\d{4}-.+Z$/),
    msg: 'DATABASE_URL: cannot reach postgres://[secret]@db/shelf',
  });
  const withStack = fatalLine('journald', 'broken', 'Error: broken\n    at here') ?? '';
  expect(withStack).toStartWith('<2>{"level":"fatal"');
  expect(withStack.split('\n')).toHaveLength(2);
  expect(JSON.parse(withStack.slice(3))).toMatchObject({ msg: 'broken', stack: 'Error: broken\n    at here' });
});

test('an error is logged by its message, even one of Bun that prints differently', async () => {
  const missing = './none.tar';
  const error: unknown = await import(missing).catch((thrown: unknown) => thrown);
  expect(JSON.parse(JSON.stringify(showError(error)))).toMatchObject({
    type: 'ResolveMessage',
    message: expect.stringContaining(missing),
    stack: expect.anything(),
  });
  expect(showError('text')).toBe('text');
});
