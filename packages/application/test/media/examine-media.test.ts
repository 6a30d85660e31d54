import { afterEach, expect, test } from 'bun:test';
import type { MediaDetails, Uuid } from '@postshelf/domain';
import { sampleImage } from '@postshelf/testing/contracts/samples';
import { type ExamineOutcome, examineMedia } from '../../src/index.ts';
import { databases } from '../support/databases.ts';
import { JPEG, TEXT } from '../support/files.ts';
import { publish } from '../support/objects.ts';
import { inhabitedWorld, replacing } from '../support/world.ts';

afterEach(databases.closeAll);

const DETAILS: MediaDetails = { image: { frames: 1, hasAlpha: false }, video: null };

test('examines items of which not all is known, in order, each once, and goes on where it was stopped', async () => {
  const { workspace, ...world } = await inhabitedWorld();
  const inspector = replacing(world.inspector, {
    async inspect(source) {
      const facts = await world.inspector.inspect(source);
      return facts === null || facts === 'damaged' ? facts : { ...facts, details: DETAILS };
    },
  });
  const ports = { ...world, inspector };
  const make = async (bytes: Uint8Array, content: { details?: MediaDetails | null; sha256?: string | null }) => {
    const plain = sampleImage(workspace.id);
    const item = { ...plain, content: { ...plain.content, size: bytes.length, ...content } };
    await world.media.insert([item]);
    await publish(world, item.fullName, bytes);
    return item;
  };
  const unknown = await make(JPEG, { details: null, sha256: null });
  await make(JPEG, { details: DETAILS });
  const hashless = await make(JPEG, { details: DETAILS, sha256: null });
  const broken = await make(TEXT, { details: null });
  const lost = await make(JPEG, { details: null });
  await world.storage.remove(lost.fullName);
  expect(await world.media.countUnexamined(100)).toBe(4);
  expect(await world.media.countUnexamined(3)).toBe(3);

  const heard: [Uuid, ExamineOutcome][] = [];
  const unreadable = new Set<Uuid>();
  const stopping = new AbortController();
  const onItem = (id: Uuid, outcome: ExamineOutcome): void => {
    heard.push([id, outcome]);
    stopping.abort();
  };
  await examineMedia(ports, { signal: stopping.signal, unreadable, onItem });
  expect(heard).toEqual([[unknown.id, 'examined']]);
  const pass = () => examineMedia(ports, { signal: new AbortController().signal, unreadable, onItem });
  await pass();
  await pass();
  expect(heard.slice(1)).toEqual([
    [hashless.id, 'examined'],
    [broken.id, 'unreadable'],
    [lost.id, 'unreadable'],
  ]);
  expect([...unreadable]).toEqual([broken.id, lost.id]);

  const digest = new Bun.CryptoHasher('sha256').update(JPEG).digest('hex');
  for (const item of [unknown, hashless]) {
    const content = { ...item.content, details: DETAILS, sha256: digest };
    expect((await world.media.find(item.id))?.item).toEqual({ ...item, content });
  }
  // What is known stays, whoever comes later.
  expect(await world.media.keepExamined(unknown.id, { details: DETAILS, sha256: 'f'.repeat(64) })).toBe(false);
  expect(await world.media.countUnexamined(100)).toBe(2);
});
