import { describe, expect, test } from 'bun:test';
import { Refusal } from '@postshelf/domain';
import { Places } from '../../src/http/places.ts';

const NEVER = new AbortController().signal;
const PATIENT = 60_000;

const outcomeOf = (taken: Promise<unknown>): Promise<string> =>
  taken.then(
    () => 'taken',
    (error: unknown) => (error instanceof Refusal ? error.problem.code : String(error)),
  );

describe('places', () => {
  test('are taken up to their number; who comes then waits in line', async () => {
    const places = new Places(2, PATIENT);
    const [leaveFirst, leaveSecond] = [await places.take(NEVER), await places.take(NEVER)];
    const order: string[] = [];
    const third = places.take(NEVER).then((leave) => {
      order.push('third');
      return leave;
    });
    const fourth = places.take(NEVER).then((leave) => {
      order.push('fourth');
      return leave;
    });
    expect(places.figures).toEqual({ running: 2, waiting: 2 });
    leaveSecond();
    const leaveThird = await third;
    expect(places.figures).toEqual({ running: 2, waiting: 1 });
    leaveFirst();
    const leaveFourth = await fourth;
    expect(order).toEqual(['third', 'fourth']);
    leaveThird();
    leaveFourth();
    expect(places.figures).toEqual({ running: 0, waiting: 0 });
  });

  test('are given back once, however often that is said', async () => {
    const places = new Places(1, PATIENT);
    const leave = await places.take(NEVER);
    leave();
    leave();
    await places.take(NEVER);
    expect(places.figures.running).toBe(1);
  });

  test('have a line no longer than they are many', async () => {
    const places = new Places(1, PATIENT);
    const leave = await places.take(NEVER);
    const second = places.take(NEVER);
    expect(await outcomeOf(places.take(NEVER))).toBe('busy');
    leave();
    (await second)();
  });

  test('are waited for in vain only for a while', async () => {
    const places = new Places(1, 1);
    await places.take(NEVER);
    const late = await places.take(NEVER).catch((error: unknown) => error);
    expect(late).toBeInstanceOf(Refusal);
    expect((late as Refusal).problem).toEqual({
      code: 'busy',
      message: 'Too many uploads are under way.',
      retryAfter: 10,
    });
    expect(places.figures).toEqual({ running: 1, waiting: 0 });
  });

  test('go to nobody who has gone', async () => {
    const places = new Places(1, PATIENT);
    const leave = await places.take(NEVER);
    const gone = new AbortController();
    const waiting = outcomeOf(places.take(gone.signal));
    gone.abort();
    expect(await waiting).toBe('busy');
    expect(await outcomeOf(places.take(gone.signal))).toBe('busy');
    leave();
    expect(places.figures).toEqual({ running: 0, waiting: 0 });
  });
});
