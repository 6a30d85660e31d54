import { Refusal } from '@postshelf/domain';
import type { Ports } from '../ports.ts';

const TEXT = 'postshelf doctor';

/**
 * Writes, reads and deletes a few bytes. They are staged like an upload, so that garbage collection removes what a
 * killed process leaves.
 *
 * @throws Refusal `unavailable`; whatever the storage throws
 */
export async function probeStorage({ storage }: { readonly storage: Pick<Ports['storage'], 'check' | 'stage'> }) {
  await storage.check();
  const bytes = new TextEncoder().encode(TEXT);
  const body = async function* (): AsyncGenerator<Uint8Array> {
    yield bytes;
  };
  const staged = await storage.stage(body(), { limit: bytes.length });
  try {
    const read = new TextDecoder().decode(await staged.read(0, bytes.length));
    if (read !== TEXT)
      throw new Refusal({ code: 'unavailable', message: 'The storage does not return the bytes it was given.' });
  } finally {
    await staged.discard();
  }
}
