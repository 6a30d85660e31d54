import { expect, test } from 'bun:test';
import type { Resources } from '@postshelf/application';
import { newId } from '@postshelf/testing/contracts/samples';
import { outcomeOf } from '@postshelf/testing/outcomes';
import { tracePorts } from '../../src/telemetry/tracing/trace-ports.ts';

/** Returns a function that begins spans, and a list that records each start and end of a span in order. */
function record() {
  const lines: string[] = [];
  const begin = (name: string) => {
    lines.push(`> ${name}`);
    return (error?: unknown) => void lines.push(`< ${name}${error === undefined ? '' : ` ${error}`}`);
  };
  return { lines, begin };
}

/** A port that only has the functions that a test calls. */
const portOf = <T extends object>(port: object): T => port as T;

class Media {
  #found = 1;
  async find() {
    await Promise.resolve();
    return this.#found;
  }
  async insert() {
    throw new Error('full');
  }
  list() {
    return ['a'];
  }
}

const portsOf = (media: object): Resources => {
  const others = Object.fromEntries(
    [
      'library',
      'workspaces',
      'tokens',
      'folders',
      'processing',
      'jobs',
      'objectChecks',
      'presign',
      'storage',
      'trash',
      'marker',
      'presignStorage',
      'resumable',
      'resumableStorage',
      'inspector',
      'covers',
      'previewMaker',
      'previewStorage',
      'remoteFiles',
    ].map((name) => [name, {}]),
  );
  return portOf<Resources>({ ...others, media, clock: { now: () => 7 } });
};

test('each call of a port is traced under its name, from its beginning to its end', async () => {
  const { lines, begin } = record();
  const ports = tracePorts(portsOf(new Media()), begin);
  const found: unknown = await ports.media.find(newId());
  expect(found).toBe(1);
  expect(lines).toEqual(['> media.find', '< media.find']);
});

test('a failure is traced and rethrown', async () => {
  const { lines, begin } = record();
  expect(await outcomeOf(tracePorts(portsOf(new Media()), begin).media.insert([]))).toThrow('full');
  expect(lines).toEqual(['> media.insert', '< media.insert Error: full']);
});

test('the span of a synchronous call ends immediately, and ports that are not traced stay unchanged', () => {
  const { lines, begin } = record();
  const given = portsOf(new Media());
  const ports = tracePorts(given, begin);
  expect(portOf<Media>(ports.media).list()).toEqual(['a']);
  expect(lines).toEqual(['> media.list', '< media.list']);
  expect(ports.clock).toBe(given.clock);
});

test('calls outside of a trace reach the port untraced', async () => {
  const ports = tracePorts(portsOf(new Media()), () => null);
  const found: unknown = await ports.media.find(newId());
  expect(found).toBe(1);
});
