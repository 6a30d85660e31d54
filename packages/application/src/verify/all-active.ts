import type { ActiveMedia, MediaRepository, Uuid } from '@postshelf/domain';

const BATCH = 500;

export async function* allActive(media: Pick<MediaRepository, 'listActive'>): AsyncGenerator<ActiveMedia> {
  let after: Uuid | null = null;
  do {
    const batch: readonly ActiveMedia[] = await media.listActive(after, BATCH);
    yield* batch;
    after = batch.length < BATCH ? null : (batch.at(-1)?.id ?? null);
  } while (after !== null);
}

export async function countActive(media: Pick<MediaRepository, 'listActive'>): Promise<number> {
  let count = 0;
  for await (const _ of allActive(media)) count += 1;
  return count;
}
