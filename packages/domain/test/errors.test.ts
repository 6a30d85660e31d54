import { describe, expect, test } from 'bun:test';
import { type FieldErrors, invalid, notFound, type Problem, Refusal, summarise } from '../src/index.ts';

describe('summarise', () => {
  test.each<[string, FieldErrors, string]>([
    ['one sentence', { label: ['Too long.'] }, 'Too long.'],
    ['two sentences for one field', { label: ['Too long.', 'Odd.'] }, 'Too long. (and 1 more error)'],
    [
      'a sentence for each of two fields',
      { from: ['No date.'], to: ['No date either.'] },
      'No date. (and 1 more error)',
    ],
    ['three sentences', { 'files.0': ['Bad.', 'Worse.'], label: ['Long.'] }, 'Bad. (and 2 more errors)'],
    ['a first field without a sentence', { a: [], b: ['Bad.'] }, 'Bad.'],
    ['no errors', {}, 'The given data was invalid.'],
  ])('makes a message from %s', (_what, errors, message) => {
    expect(summarise(errors)).toBe(message);
  });
});

describe('a refusal', () => {
  test('is an error that carries its problem and its cause', () => {
    const problem: Problem = { code: 'unavailable', message: 'The storage is full.' };
    const cause = new Error('ENOSPC');
    const refusal = new Refusal(problem, { cause });
    expect(refusal).toBeInstanceOf(Error);
    expect(refusal.problem).toBe(problem);
    expect(refusal.cause).toBe(cause);
    expect(refusal.name).toBe('Refusal');
  });

  test('for a missing resource carries nothing but its code', () => {
    expect(notFound().problem).toEqual({ code: 'not_found' });
  });

  test('for one field carries the reason under that field', () => {
    expect(invalid('folder_id', 'Gone.').problem).toEqual({ code: 'invalid', errors: { folder_id: ['Gone.'] } });
  });

  test('for a field named like a property of Object keeps its message', () => {
    const { problem } = invalid('__proto__', 'Unknown.');
    expect(problem.code === 'invalid' && summarise(problem.errors)).toBe('Unknown.');
  });
});
