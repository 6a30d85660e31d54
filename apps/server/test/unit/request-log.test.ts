import { expect, test } from 'bun:test';
import pino from 'pino';
import { jsonRequestLog, type RequestLine, requestLog } from '../../src/telemetry/log/request-log.ts';

const LINE: RequestLine = {
  id: 'a-1',
  method: 'GET',
  path: '/v1/"quoted"\\\n\u2028é',
  route: '/v1/{id}',
  status: 200,
  ms: 3,
  bytes: 0,
  token: null,
  address: '127.0.0.1',
};

/** Opens a log with this level. `texts` returns what the log has written, without the times. */
function open(level: string) {
  let written = '';
  const output = {
    write(line: string): void {
      written += line;
    },
  };
  const formatters = { level: (name: string) => ({ level: name }) };
  const log = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, formatters }, output);
  const texts = (): string => written.replace(/"time":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"/g, '"time":""');
  return { log, output, texts };
}

test.each([
  ['debug', ['info', 'debug']],
  ['info', ['info']],
  ['warn', []],
  ['silent', []],
] as const)('request lines at level %s equal those that pino writes', (level, written) => {
  const [theirs, ours] = [open(level), open(level)];
  const [byPino, atOnce] = [requestLog(theirs.log), jsonRequestLog(ours.log, ours.output)];
  for (const write of [byPino, atOnce]) for (const at of ['info', 'debug'] as const) write(at, LINE);
  expect(ours.texts()).toBe(theirs.texts());
  const lines = ours.texts().split('\n').slice(0, -1);
  expect(lines.map((line) => JSON.parse(line).level)).toEqual([...written]);
});
