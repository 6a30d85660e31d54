import { describe, expect, test } from 'bun:test';
import { type FieldErrors, invalid, notFound, type Problem, Refusal, summarise } from '../src/index.ts';

describe('summarise', () => {
  test.each<[string, FieldErrors, string]>([
    ['one sentence', { label: ['Too long.'] }, 'Too long.'],
    ['two on one field', { label: ['Too long.', 'Odd.'] }, 'Too long. (and 1 more error)'],
    ['two on two fields', { from: ['No date.'], to: ['No date either.'] }, 'No date. (and 1 more error)'],
    ['three', { 'files.0': ['Bad.', 'Worse.'], label: ['Long.'] }, 'Bad. (and 2 more errors)'],
    ['a field without a sentence first', { a: [], b: ['Bad.'] }, 'Bad.'],
    ['none', {}, 'The given data was invalid.'],
  ])('%s', (_what, errors, message) => {
    expect(summarise(errors)).toBe(message);
  });
});

describe('a refusal', () => {
  test('is an error that carries its problem and what caused it', () => {
    const problem: Problem = { code: 'unavailable', message: 'The storage is full.' };
    const cause = new Error('ENOSPC');
    const refusal = new Refusal(problem, { cause });
    expect(refusal).toBeInstanceOf(Error);
    expect(refusal.problem).toBe(problem);
    expect(refusal.cause).toBe(cause);
    expect(refusal.name).toBe('Refusal');
  });

  test('for something missing says no more than that', () => {
    expect(notFound().problem).toEqual({ code: 'not_found' });
  });

  test('for one field has the reason on that field', () => {
    expect(invalid('folder_id', 'Gone.').problem).toEqual({ code: 'invalid', errors: { folder_id: ['Gone.'] } });
  });

  test('for a field named like a property of Object keeps its message', () => {
    const { problem } = invalid('__proto__', 'Unknown.');
    expect(problem.code === 'invalid' && summarise(problem.errors)).toBe('Unknown.');
  });
});
