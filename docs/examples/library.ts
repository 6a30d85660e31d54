// Node or Bun, with @postshelf/client: bun library.ts beach.jpg https://example.com/clip.mp4 film.mp4
import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { createPostshelfClient, PostshelfError } from '@postshelf/client';

function setting(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set.`);
  return value;
}

const workspace = setting('POSTSHELF_WORKSPACE');
const client = createPostshelfClient({ baseUrl: setting('POSTSHELF_URL'), token: setting('POSTSHELF_TOKEN') });

/** A file that is read while it is sent. */
const open = async (path: string) => ({ name: basename(path), data: await openAsBlob(path) });

const show = ({ loaded, total }: { loaded: number; total: number }) =>
  process.stderr.write(`\r${Math.round((100 * loaded) / total)} %`);

async function main([path = '', url = '', large = '']: string[]): Promise<void> {
  for (const item of await client.upload(workspace, await open(path), { onProgress: show }))
    console.log(`uploaded ${item.name}`);

  const { id } = await client.importUrl(workspace, url);
  const imported = await client.waitUntilReady(id, { timeout: 10 * 60_000 });
  console.log(`imported ${imported.name}`);

  const presigned = await client.uploadPresigned(workspace, await open(large), { onProgress: show });
  console.log(`presigned ${presigned.name}`);

  let count = 0;
  for await (const { data } of client.pages(client.trpc.media.list, { workspace, per_page: 100 })) count += data.length;
  console.log(`library of ${count}`);

  const { data } = await client.trpc.analytics.bestTimes.query({ workspace });
  const cells = Object.entries(data.heatmap).flatMap(([day, hours]) =>
    hours.map((value, hour) => ({ day, hour, value })),
  );
  const best = cells.reduce((a, b) => (b.value > a.value ? b : a));
  // Too few posts to learn from: every cell is 0.
  if (best.value === 0) console.log('no best times yet');
  else console.log(`best at ${best.day} ${best.hour}:00, ${best.value.toFixed(2)}`);
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof PostshelfError)) throw error;
  const fields = Object.values(error.errors).flat();
  console.error(`${error.status}: ${fields.join(' ') || error.message}`);
  process.exitCode = 1;
}
