import { expect, test } from 'bun:test';
import { FastScroll } from '../../src/ui/fast-scroll.ts';

test('a list counts as scrolling fast after long, quick steps, and reports the end of fast scrolling', async () => {
  const scroll = new FastScroll();
  const change = Promise.withResolvers<boolean>();
  scroll.subscribe(() => change.resolve(scroll.isFast()));
  const first = (): boolean => {
    scroll.note(5_000);
    return scroll.isFast();
  };
  const onward = (): boolean => {
    scroll.note(6_000);
    return scroll.isFast();
  };
  expect([scroll.isFast(), first(), onward()]).toEqual([false, false, true]);
  expect(await change.promise).toBe(false);
});

test('a list does not count as scrolling fast after short steps', () => {
  const scroll = new FastScroll();
  for (const top of [0, 40, 80, 80]) scroll.note(top);
  expect(scroll.isFast()).toBe(false);
});
