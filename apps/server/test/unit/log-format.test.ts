import { expect, test } from 'bun:test';
import { fatalLine, showError, withPriority } from '../../src/telemetry/log/log.ts';
import { prettyLine } from '../../src/telemetry/log/pretty.ts';

test.each([
  ['trace', 7],
  ['debug', 7],
  ['info', 6],
  ['warn', 4],
  ['error', 3],
  ['fatal', 2],
  // Postshelf has no level `loud`, but the line must still be logged.
  ['loud', 6],
])("a line of level %s is prefixed with the journal's priority %i", (level, priority) => {
  const line = `${JSON.stringify({ level, msg: 'x' })}\n`;
  expect(withPriority(line)).toBe(`<${priority}>${line}`);
});

test('the reason why a start failed is logged as one line, without secrets', () => {
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

test('an error is logged with its type, message and stack, even if it is a ResolveMessage of Bun', async () => {
  const missing = './none.tar';
  const error: unknown = await import(missing).catch((thrown: unknown) => thrown);
  expect(JSON.parse(JSON.stringify(showError(error)))).toMatchObject({
    type: 'ResolveMessage',
    message: expect.stringContaining(missing),
    stack: expect.anything(),
  });
  expect(showError('text')).toBe('text');
});

test('a pretty line has its details, then its stack, and no control characters', () => {
  const time = new Date(2026, 0, 1, 9, 5, 7).getTime();
  const line = (more: object) => prettyLine(JSON.stringify({ level: 40, time, ...more }), false);
  const details = { media: 'a', made: { 'data directory': '/data', of: null }, few: [1, 2], many: [1, 2, 3, 4] };
  expect(line({ ...details, msg: 'low' })).toBe(
    '09:05:07 WARN  low media=a made.data_directory=/data made.of=null few=1,2 many=4 entries\n',
  );
  expect(line({ msg: 'failed', err: { message: 'no', stack: 'Error: no\n    at here' } })).toBe(
    '09:05:07 WARN  failed\n    Error: no\n        at here\n',
  );
  expect(line({ msg: '\u001b[2J', path: '/\r\n\u009b2J' })).toBe(
    '09:05:07 WARN  \uFFFD[2J path=/\uFFFD\uFFFD\uFFFD2J\n',
  );
  expect(prettyLine(JSON.stringify({ level: 50, time, msg: 'x', a: 1 }), true)).toBe(
    '09:05:07 \u001b[31mERROR\u001b[0m x \u001b[2ma=1\u001b[0m\n',
  );
});
