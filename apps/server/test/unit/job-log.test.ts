import { afterEach, beforeEach, expect, jest, test } from 'bun:test';
import { type Job, Refusal } from '@postshelf/domain';
import { NOW, newId } from '@postshelf/testing/contracts/samples';
import pino from 'pino';
import { logJobs } from '../../src/worker/job-log.ts';

beforeEach(() => {
  jest.useFakeTimers();
});

afterEach(() => {
  jest.useRealTimers();
});

/** Milliseconds between two polls for due jobs. */
const POLL = 100;

const job: Job<'preview'> = {
  kind: 'preview',
  subjectId: newId(),
  workspaceId: newId(),
  payload: null,
  addedAt: NOW,
  attempts: 0,
  claims: 1,
};

test('a database that refuses every claim is logged once in ten minutes for each kind, and again after a success', () => {
  const lines: { kind: string; msg: string }[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const { onEnd, onError } = logJobs({ log, metrics: null });
  const kindsAfter = (polls: number): string[] => {
    lines.length = 0;
    for (let poll = 0; poll < polls; poll += 1) {
      for (const kind of ['preview', 'cover'] as const)
        onError(kind, new Refusal({ code: 'unavailable', message: 'The library is read-only here.' }));
      jest.advanceTimersByTime(POLL);
    }
    return lines.map(({ kind }) => kind);
  };
  expect(kindsAfter(5_999)).toEqual(['preview', 'cover']);
  expect(kindsAfter(2)).toEqual(['preview', 'cover']);
  onEnd(job, { next: 'done', outcome: 'made' });
  expect(kindsAfter(10)).toEqual(['preview']);
  lines.length = 0;
  onError('preview', new Error('database or disk is full'));
  expect(lines).toEqual([expect.objectContaining({ msg: 'jobs could not be worked on', kind: 'preview' })]);
});
