// A user's program, which is only type-checked: the compiler must report an error at each `@ts-expect-error`.
import { createPostshelfClient, type MediaItem, type Operations, PostshelfError } from '@postshelf/client';

const workspace = '019f0000-0000-7000-8000-000000000000';
const client = createPostshelfClient({ baseUrl: 'https://media.example.com', token: async () => 'token' });

const created = await client.trpc.folders.create.mutate({ workspace, name: 'Holidays' });
export const folderName: string = created.data.name;
export const sentence: string = created.message;
const list = await client.trpc.folders.list.query({ workspace, page: 2, per_page: 10 });
export const total: number = list.meta.total;
export const next: string | null = list.links.next;
const { version } = await client.trpc.media.get.query({ id: 'x' });
const renamed = await client.trpc.media.update.mutate({ id: 'x', name: 'Beach', if_match: version });
export const present: number = renamed.version;
await client.trpc.media.delete.mutate({ id: 'x', if_match: present });
// @ts-expect-error: `confirm` takes no version
await client.trpc.media.confirm.mutate({ id: 'x', if_match: 1 });
await client.trpc.media.delete.mutate({ id: 'x' }, { signal: AbortSignal.timeout(1000) });

// @ts-expect-error: a folder has a name
await client.trpc.folders.create.mutate({ workspace });
// @ts-expect-error: a query has no `mutate`
await client.trpc.folders.list.mutate({ workspace });
// @ts-expect-error: there is no such operation
await client.trpc.folders.explode.mutate({ workspace });
// @ts-expect-error: there is no such status
await client.trpc.media.list.query({ workspace, status: 'lost' });

for await (const page of client.pages(client.trpc.media.list, { workspace, status: 'active', per_page: 100 })) {
  const item: MediaItem | undefined = page.data[0];
  item?.thumbnail?.width?.toFixed();
  // @ts-expect-error: an item isn't a folder
  item?.is_system;
}
// @ts-expect-error: the list of media has no such filter
client.pages(client.trpc.media.list, { workspace, colour: 'red' });
// @ts-expect-error: a workspace is needed
client.pages(client.trpc.media.list, { per_page: 10 });

const wanted = { workspace, tag: 'summer', sort: '-created_at', include: 'details,usage' } as const;
const [newest] = (await client.trpc.media.list.query(wanted)).data;
export const seconds: number | null | undefined = newest && (newest.details?.video?.duration_ms ?? 0) / 1000;
export const posts: number | undefined = newest?.usage?.posts;
await client.trpc.media.update.mutate({ id: 'x', alt_text: null, tags: ['summer', 'sea'] });
const counted = await client.trpc.folders.list.query({ workspace, include: 'counts' });
export const inside: number | undefined = counted.data[0]?.counts?.media;
// @ts-expect-error: `include` doesn't take other values
await client.trpc.media.get.query({ id: 'x', include: 'everything' });
// @ts-expect-error: there is no such sort order
await client.trpc.media.list.query({ workspace, sort: 'colour' });

const file = new File(['…'], 'beach.jpg', { type: 'image/jpeg' });
export const items: MediaItem[] = await client.upload(workspace, [file, { name: 'b.png', data: new Blob() }], {
  label: 'Summer',
  folder_id: null,
  onProgress: ({ loaded, total }) => loaded / total,
});
export const video: MediaItem = await client.uploadPresigned(workspace, file, { signal: AbortSignal.timeout(1000) });
const imported = await client.importUrl(workspace, new URL('https://example.com/a.mp4'), { name: null, label: 'x' });
const status: 'active' | 'processing' | 'failed' | 'temporary' = imported.status;
export const ready = status === 'active' ? imported : await client.waitUntilReady(imported.id, { timeout: 1000 });
// @ts-expect-error: a folder's id is a string
await client.upload(workspace, file, { folder_id: 7 });

try {
  await client.waitUntilReady('x');
} catch (error) {
  if (error instanceof PostshelfError && error.code === 'refused') error.errors.name?.[0]?.toUpperCase();
}

export type NewFolder = Operations['folders']['create']['input'];
