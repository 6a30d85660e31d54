import { describe, expect, test } from 'bun:test';
import { describePresignStorage } from '../src/contracts/presign-storage/presign-storage.ts';
import { newUpload } from '../src/contracts/presign-storage/samples.ts';
import { newId } from '../src/contracts/samples.ts';
import { fakeClock } from '../src/fakes/fake-clock.ts';
import { memoryStorage } from '../src/fakes/memory-storage.ts';
import { memoryUploads } from '../src/fakes/memory-uploads.ts';
import { serveUploads } from '../src/fakes/serve-uploads.ts';

describePresignStorage('memory', async () => {
  const storage = memoryStorage();
  const { uploads: presign, close } = await serveUploads(async (urlOf) => memoryUploads({ storage, urlOf }));
  return { presign, storage, close };
});

describe('the memory uploads', () => {
  test('go by the clock they are given', async () => {
    const clock = fakeClock();
    const uploads = memoryUploads({ storage: memoryStorage(), clock });
    const ticket = newUpload({ size: 3, expiresAt: clock.now() + 1000 });
    const { url } = await uploads.address(ticket);
    const query = Object.fromEntries(new URL(url).searchParams);
    clock.advance(999);
    expect(uploads.verify(ticket.id, query)).toEqual(ticket);
    expect(uploads.verify(newId(), query)).toBeNull();
    expect(uploads.verify(ticket.id, { ...query, more: '' })).toBeNull();
    expect(await uploads.receive(ticket, body())).toBe('kept');
    expect(await Array.fromAsync(uploads.list())).toEqual([{ id: ticket.id, size: 3, modifiedAt: clock.now() }]);
    clock.advance(1);
    expect(uploads.verify(ticket.id, query)).toBeNull();
  });

  test.each([2, 4])('keep nothing of another length: %d instead of 3 bytes', async (size) => {
    const uploads = memoryUploads({ storage: memoryStorage() });
    const ticket = newUpload({ size });
    expect(await uploads.receive(ticket, body())).toBe('wrong_size');
    expect(await uploads.take(ticket.id)).toBeNull();
  });
});

async function* body(): AsyncGenerator<Uint8Array> {
  yield new Uint8Array([1, 2, 3]);
}
