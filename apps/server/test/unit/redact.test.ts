import { describe, expect, test } from 'bun:test';
import { redact } from '../../src/telemetry/log/redact.ts';

const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJqdGkiOiIxIn0.c2lnbmF0dXJl-_';

describe('redact removes', () => {
  test.each([
    ['a token', `denied ${JWT}.`, 'denied [token].'],
    [
      'session cookies',
      'cookie: a=1; postshelf-3000=x_-1; __Host-postshelf-a.b=y',
      'cookie: a=1; postshelf-3000=[secret] __Host-postshelf-a.b=[secret]',
    ],
    ['a token in a header', `authorization: Bearer ${JWT}`, 'authorization: Bearer [token]'],
    ['a token in JSON', `{"path":"/v1/${JWT}","n":1}`, '{"path":"/v1/[token]","n":1}'],
    ['a token without its signature', `${JWT.slice(0, 38)}`, '[token]'],
    ['basic credentials', 'Authorization: Basic dXNlcjpwYXNz==', 'Authorization: Basic [secret]'],
    [
      'the query of a URL',
      'at "https://s3.example/b/k?X-Amz-Signature=ab&x=1" twice',
      'at "https://s3.example/b/k?[secret]" twice',
    ],
    ['a query after a fragment', 'https://a.example/#x?sig=1 end', 'https://a.example/?[secret] end'],
    ['credentials in a URL', 'postgres://shelf:p@ss:w@db.internal/shelf', 'postgres://[secret]@db.internal/shelf'],
    [
      'a password with an unescaped slash',
      'at postgres://shelf:p/ss@db.internal/shelf now',
      'at postgres://[secret] now',
    ],
    ['a password with an unescaped question mark', 'postgres://shelf:p?ss@db.internal/shelf', 'postgres://[secret]'],
    ['the secret of a webhook', '{"secret_is":"whsec_C2FVsBQIhrsc+/a="}', '{"secret_is":"[secret]"}'],
    ['credentials without a user name', 'https://:p4ss@h/', 'https://[secret]@h/'],
    ['a signature by itself', '{"q":"a=1&X-Amz-Signature=0f0f&b=2"}', '{"q":"a=1&X-Amz-Signature=[secret]&b=2"}'],
    [
      'a signature in a header',
      'AWS4-HMAC-SHA256 Credential=A/B, Signature=0f0f',
      'AWS4-HMAC-SHA256 Credential=A/B, Signature=[secret]',
    ],
    [
      'a query in escaped JSON',
      '{"m":"{\\"url\\":\\"http://h/p?sig=1\\"}"}',
      '{"m":"{\\"url\\":\\"http://h/p?[secret]\\"}"}',
    ],
  ])('%s', (_, text, clean) => {
    expect(redact(text)).toBe(clean);
  });

  test('every secret in a line that has several', () => {
    const clean = redact(`${JWT} https://u:p@h/?a=1 ${JWT} http://h/x?b=2`);
    expect(clean).toBe('[token] https://[secret]@h/?[secret] [token] http://h/x?[secret]');
  });
});

test('redact keeps text without secrets', () => {
  const line =
    '{"level":"info","path":"/v1/media_contents/{id}","url":"http://127.0.0.1:3000/v1","at":"http://[::1]:8/v1","msg":"http://127.0.0.1:9: ECONNREFUSED","bytes":12,"msg":"request"}';
  expect(redact(line)).toBe(line);
});

test('redact takes linear time on hostile text', () => {
  const nasty = [
    `http://${'a@'.repeat(50_000)}`,
    'a'.repeat(100_000),
    'bearer '.repeat(20_000),
    'eyJ'.repeat(50_000),
    'eyJ.'.repeat(50_000),
    '-eyJ'.repeat(50_000),
    `x://${':1'.repeat(50_000)}`,
    `x://${':'.repeat(100_000)}`,
    'whsec_'.repeat(20_000),
    `x://${'?'.repeat(100_000)}`,
    'http://'.repeat(20_000),
    `${' signature'.repeat(20_000)}`,
  ];
  // With backtracking, `redact` would take minutes for these texts.
  for (const text of nasty) expect(redact(text).length).toBeLessThanOrEqual(text.length * 2);
});
