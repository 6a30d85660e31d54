import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  describeCause,
  importRules,
  JOB_KINDS,
  JOB_RULES,
  type JobRules,
  mayBeClaimedAgain,
  pauseAfterFault,
} from '../../src/index.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const pausesOf = (rules: JobRules): readonly (number | null)[] =>
  Array.from({ length: rules.faultDelays.length + 1 }, (_, nth) => pauseAfterFault(rules, nth + 1));

describe('the pauses after internal faults', () => {
  test('double for imports, from the first retry delay up to ten minutes', () => {
    const delays = pausesOf(importRules([3000, 77_000])).slice(0, -1);
    expect(delays.slice(0, 4)).toEqual([3000, 6000, 12_000, 24_000]);
    expect(delays.at(-1)).toBe(10 * MINUTE);
  });

  test('start at five seconds for imports without retries', () => {
    expect(importRules([])).toEqual(JOB_RULES.import);
    expect(pauseAfterFault(JOB_RULES.import, 1)).toBe(5000);
  });

  test('keep an import alive through an outage of 40 minutes', () => {
    const sum = JOB_RULES.import.faultDelays.reduce((all, delay) => all + delay, 0);
    expect(sum).toBeGreaterThan(40 * MINUTE);
  });

  test.each([
    ['fit', [5000, MINUTE, 10 * MINUTE, null]],
    ['cover', [MINUTE, 10 * MINUTE, HOUR, 6 * HOUR, null]],
    ['preview', [MINUTE, 10 * MINUTE, HOUR, 6 * HOUR, null]],
  ] as const)('of %s jobs are %p', (kind, pauses) => {
    expect(pausesOf(JOB_RULES[kind])).toEqual([...pauses]);
  });

  test.each(['delivery', 'check', 'removal'] as const)('of %s jobs are always one minute', (kind) => {
    for (const claims of [1, 2, 1_000_000]) expect(pauseAfterFault(JOB_RULES[kind], claims)).toBe(MINUTE);
    expect(mayBeClaimedAgain(JOB_RULES[kind], 1_000_000)).toBe(true);
  });
});

test.each(JOB_KINDS)(
  '%s jobs may be claimed one more time than they have pauses, or without limit if they have no pauses',
  (kind) => {
    const rules = JOB_RULES[kind];
    for (let claims = 1; claims <= rules.faultDelays.length + 1; claims += 1)
      expect(mayBeClaimedAgain(rules, claims)).toBe(true);
    expect(mayBeClaimedAgain(rules, rules.faultDelays.length + 2)).toBe(rules.faultDelays.length === 0);
  },
);

describe('describeCause', () => {
  test.each([
    ['GET https://user:pass@files.example/a/b.jpg?token=1 failed', 'GET https://files.example/… failed'],
    ['http://files.example:8080/x', 'http://files.example:8080/…'],
    ['HTTPS://user@files.example?X-Amz-Signature=1', 'HTTPS://files.example/…'],
    ['https://files.example#fragment', 'https://files.example/…'],
    ['https://a@b@c.example/x', 'https://c.example/…'],
    ['https://a.example/x and https://b.example/y', 'https://a.example/… and https://b.example/…'],
    [
      'cannot connect to postgres://shelf:secret@db.example:5432/shelf',
      'cannot connect to postgres://db.example:5432/…',
    ],
    ['two\n\n  lines', 'two lines'],
  ])('turns %p into %p', (text, expected) => {
    expect(describeCause(new Error(text))).toBe(expected);
  });

  test('describes anything that was thrown', () => {
    expect(describeCause('a text')).toBe('a text');
    expect(describeCause(undefined)).toBe('undefined');
  });

  test('returns at most 300 characters', () => {
    expect(describeCause(new Error('x'.repeat(1000)))).toHaveLength(300);
  });

  const part = fc.stringMatching(/^[A-Za-z0-9._~!$&'()*+,;=-]{1,12}$/);

  test('omits user name, password, path and query of any URL', () => {
    fc.assert(
      fc.property(part, part, part, part, (user, password, path, query) => {
        const secrets = [`u${user}`, `p${password}`, `d${path}`, `q${query}`].map((each) => `S3CRET-${each}`);
        const [name, word, folder, key] = secrets;
        const described = describeCause(
          new Error(`before https://${name}:${word}@host.example/${folder}?${key} after`),
        );
        expect(described).toBe('before https://host.example/… after');
      }),
    );
  });
});
