import { createPostshelfClient, type PostshelfClient } from '@postshelf/client';
import { Shelf } from './shelf';

/** The page is rendered for each request, with a token that stays on the server. */
export const dynamic = 'force-dynamic';

function postshelf(): PostshelfClient {
  return createPostshelfClient({
    baseUrl: process.env.POSTSHELF_URL ?? '',
    token: () => process.env.POSTSHELF_TOKEN ?? '',
  });
}

export default async function Page() {
  const workspace = process.env.POSTSHELF_WORKSPACE ?? '';
  const { meta } = await postshelf().trpc.media.list.query({ workspace, per_page: 1 });
  return (
    <main>
      <h1>{meta.total} items</h1>
      <Shelf workspace={workspace} />
    </main>
  );
}
