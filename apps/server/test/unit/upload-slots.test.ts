import { describe, expect, test } from 'bun:test';
import { Refusal } from '@postshelf/domain';
import { UploadSlots } from '../../src/http/upload-slots.ts';

const NEVER = new AbortController().signal;
const LONG = 60_000;

const outcomeOf = (taken: Promise<unknown>): Promise<string> =>
  taken.then(
    () => 'taken',
    (error: unknown) => (error instanceof Refusal ? error.problem.code : String(error)),
  );

describe('upload slots', () => {
  test('are taken up to their number; who comes then waits in line', async () => {
    const slots = new UploadSlots(2, LONG);
    const [leaveFirst, leaveSecond] = [await slots.take(NEVER), await slots.take(NEVER)];
    const order: string[] = [];
    const third = slots.take(NEVER).then((leave) => {
      order.push('third');
      return leave;
    });
    const fourth = slots.take(NEVER).then((leave) => {
      order.push('fourth');
      return leave;
    });
    expect(slots.figures).toEqual({ running: 2, waiting: 2 });
    leaveSecond();
    const leaveThird = await third;
    expect(slots.figures).toEqual({ running: 2, waiting: 1 });
    leaveFirst();
    const leaveFourth = await fourth;
    expect(order).toEqual(['third', 'fourth']);
    leaveThird();
    leaveFourth();
    expect(slots.figures).toEqual({ running: 0, waiting: 0 });
  });

  test('are given back once, however often that is said', async () => {
    const slots = new UploadSlots(1, LONG);
    const leave = await slots.take(NEVER);
    leave();
    leave();
    await slots.take(NEVER);
    expect(slots.figures.running).toBe(1);
  });

  test('have a line no longer than they are many', async () => {
    const slots = new UploadSlots(1, LONG);
    const leave = await slots.take(NEVER);
    const second = slots.take(NEVER);
    expect(await outcomeOf(slots.take(NEVER))).toBe('busy');
    leave();
    (await second)();
  });

  test('are waited for in vain only for a while', async () => {
    const slots = new UploadSlots(1, 1);
    await slots.take(NEVER);
    const late = await slots.take(NEVER).catch((error: unknown) => error);
    expect(late).toBeInstanceOf(Refusal);
    expect((late as Refusal).problem).toEqual({
      code: 'busy',
      message: 'Too many uploads are under way.',
      retryAfter: 10,
    });
    expect(slots.figures).toEqual({ running: 1, waiting: 0 });
  });

  test('go to nobody who has gone', async () => {
    const slots = new UploadSlots(1, LONG);
    const leave = await slots.take(NEVER);
    const gone = new AbortController();
    const waiting = outcomeOf(slots.take(gone.signal));
    gone.abort();
    expect(await waiting).toBe('busy');
    expect(await outcomeOf(slots.take(gone.signal))).toBe('busy');
    leave();
    expect(slots.figures).toEqual({ running: 0, waiting: 0 });
  });
});
