import { expect, test } from 'bun:test';
import { Changes } from '../../src/events/changes.ts';
import { changedBy, type StreamMessage } from '../../src/events/stream-message.ts';

test.each<[string, StreamMessage, readonly string[]]>([
  ['a first stream', { type: 'open', id: 'a', isResumed: false }, ['media', 'folders', 'posts']],
  ['a stream resumed after the last event', { type: 'open', id: 'a', isResumed: true }, []],
  ['a lost stream', { type: 'lost' }, []],
  ['a reset', { type: 'reset', id: null }, ['media', 'folders', 'posts']],
  ['an item event', { type: 'media.active' } as StreamMessage, ['media']],
  ['a folder event', { type: 'folder.deleted' } as StreamMessage, ['folders']],
  ['a post event', { type: 'post.created' } as StreamMessage, ['posts']],
  ['an event of a later version', { type: 'slot.created' } as unknown as StreamMessage, []],
])('the resources to refresh are derived from %s', (_, message, changed) => {
  expect(changedBy(message)).toEqual(changed as ReturnType<typeof changedBy>);
});

const PAUSE = 20;

/** Returns a `Changes` whose refreshes end when the test says so. */
function gathering() {
  const refreshed: string[] = [];
  let end: () => void = () => undefined;
  const changes = new Changes((changed) => {
    refreshed.push([...changed].join());
    return new Promise<void>((resolve) => {
      end = resolve;
    });
  }, PAUSE);
  return { changes, refreshed, end: () => end() };
}

/** Waits until there have been this many refreshes. A test that waits in vain times out. */
async function reach(refreshed: readonly string[], times: number): Promise<void> {
  while (refreshed.length < times) await Bun.sleep(1);
}

const pass = (): Promise<void> => Bun.sleep(3 * PAUSE);

test('changes within a short time cause one refresh, and changes during that refresh cause another', async () => {
  const { changes, refreshed, end } = gathering();
  for (const resource of ['media', 'media', 'folders'] as const) changes.add([resource]);
  expect(refreshed).toEqual([]);
  await pass();
  changes.add(['posts']);
  changes.add(['media']);
  await pass();
  expect(refreshed).toEqual(['media,folders']);
  end();
  await reach(refreshed, 2);
  expect(refreshed).toEqual(['media,folders', 'posts,media']);
});

test('the rest after a refresh is several times as long as the refresh, but a first change after it waits briefly', async () => {
  const { changes, refreshed, end } = gathering();
  changes.add(['media']);
  await reach(refreshed, 1);
  const begun = performance.now();
  await Bun.sleep(100);
  end();
  const took = performance.now() - begun;
  changes.add(['posts']);
  await Bun.sleep(3 * took);
  expect(refreshed).toEqual(['media']);
  await reach(refreshed, 2);
  end();
  await Bun.sleep(100);
  const later = performance.now();
  changes.add(['folders']);
  await reach(refreshed, 3);
  expect(performance.now() - later).toBeLessThan(100);
});

test('a hidden page with changes is refreshed when it becomes visible again', async () => {
  const { changes, refreshed } = gathering();
  changes.hold(true);
  changes.add(['media']);
  await pass();
  expect(refreshed).toEqual([]);
  changes.hold(false);
  await pass();
  expect(refreshed).toEqual(['media']);
});

test('nothing is refreshed after end() is called', async () => {
  const { changes, refreshed } = gathering();
  changes.add(['media']);
  changes.end();
  await pass();
  expect(refreshed).toEqual([]);
});
