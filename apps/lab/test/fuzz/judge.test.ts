import { describe, expect, test } from 'bun:test';
import type { RequestCase } from '../../src/fuzz/case.ts';
import { readAnswer } from '../../src/fuzz/http/answer.ts';
import type { Outcome } from '../../src/fuzz/http/exchange.ts';
import { judge } from '../../src/fuzz/oracle/judge.ts';

const request: RequestCase = {
  kind: 'request',
  operation: 'GET /media_library/folders/{folder}',
  method: 'GET',
  target: '/v1/media_library/folders/{{folder}}',
  lines: [],
};
const secrets = { folders: ['/srv/postshelf-data'] };

function answered(status: number, body: string, ...headers: readonly string[]): Outcome {
  const lines = [
    `HTTP/1.1 ${status} X`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    ...headers,
  ];
  const answer = readAnswer(Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`), 'GET', true);
  return answer ? { kind: 'answered', answer } : { kind: 'closed' };
}

const ID = 'X-Request-Id: 1';
const FOLDER = '{"data":{"id":"019f5b0e-64b1-7d3c-8b0e-2f6a4d9c1e57","name":"Summer","parent_id":null}}';
const complaintsOf = (outcome: Outcome): readonly string[] => judge(request, outcome, secrets).complaints;

describe('the judge', () => {
  test('accepts answers that match the OpenAPI document', () => {
    expect(complaintsOf(answered(200, FOLDER, ID))).toEqual([]);
    expect(complaintsOf(answered(404, '{"message":"Not found."}', ID))).toEqual([]);
    // docs/api.md documents this refusal for all operations.
    expect(complaintsOf(answered(431, '{"message":"The request head is too large."}', ID))).toEqual([]);
  });

  const wrong: readonly [string, Outcome][] = [
    ['a server error', answered(500, '{"message":"Server error."}', ID)],
    ['an answer without a request id', answered(200, FOLDER)],
    ['an undocumented status', answered(418, '{"message":"Teapot."}', ID)],
    ['an undocumented field', answered(200, FOLDER.replace('"name"', '"more":1,"name"'), ID)],
    ['an error with an additional field', answered(404, '{"message":"Not found.","code":1}', ID)],
    ['an error that is not JSON', answered(404, '<html>', ID)],
    ['a stack trace', answered(404, '{"message":"x at open (file.ts:1:2)"}', ID)],
    ['a path inside the service’s data folder', answered(404, '{"message":"/srv/postshelf-data/x"}', ID)],
    ['an error of the HTTP layer for a valid request', answered(400, '')],
    ['a closed connection', { kind: 'closed' }],
    ['a request that gets no answer', { kind: 'silent' }],
    ['an answer that is not HTTP', { kind: 'garbled', why: 'Noise.' }],
  ];
  test.each([...wrong])('complains about %s', (_, outcome) => {
    expect(complaintsOf(outcome)).not.toEqual([]);
  });
});

describe('the judge of MCP tool calls', () => {
  const call: RequestCase = { kind: 'request', method: 'POST', target: '/mcp', lines: [] };
  const complaints = (status: number, body: object) =>
    judge(call, answered(status, JSON.stringify(body), ID), secrets).complaints;
  const said = (text: string) => ({
    jsonrpc: '2.0',
    id: 1,
    result: { isError: true, content: [{ type: 'text', text }] },
  });
  const failed = (message: string) => ({ jsonrpc: '2.0', id: null, error: { code: -32700, message } });

  test('accepts tool refusals and protocol errors', () => {
    expect(complaints(200, said('{"message":"Not found."}'))).toEqual([]);
    expect(complaints(400, failed('Parse error'))).toEqual([]);
  });

  test('complains about a server error, however it is reported', () => {
    expect(complaints(200, said('{"message":"Server error."}'))).not.toEqual([]);
    expect(complaints(200, failed('Server error.'))).not.toEqual([]);
    expect(complaints(200, failed('TypeError: x\n    at open'))).not.toEqual([]);
  });
});

describe('the answer reader', () => {
  test('joins a chunked body, and returns null until it is complete', () => {
    const whole = Buffer.from('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n');
    expect(readAnswer(whole, 'GET', false)?.body.toString()).toBe('abcde');
    expect(readAnswer(whole.subarray(0, -3), 'GET', false)).toBeNull();
  });

  test('throws on invalid HTTP', () => {
    for (const text of ['HTTP/2 200\r\n\r\n', 'HTTP/1.1 200 OK\r\na b\r\n\r\n', 'HTTP/1.1 99 x\r\n\r\n']) {
      expect(() => readAnswer(Buffer.from(text), 'GET', false)).toThrow();
    }
  });
});
