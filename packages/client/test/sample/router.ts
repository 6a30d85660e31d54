// A program that uses tRPC's own client. It is only type-checked, never run.
import type { PostshelfRouter } from '@postshelf/client/router';
import { createTRPCClient, httpLink, TRPCClientError } from '@trpc/client';

const workspace = '019f0000-0000-7000-8000-000000000000';
const client = createTRPCClient<PostshelfRouter>({ links: [httpLink({ url: 'https://media.example.com/trpc' })] });
const created = await client.folders.create.mutate({ workspace, name: 'Holidays' });
export const folderName: string = created.data.name;
// @ts-expect-error: a folder has a name
await client.folders.create.mutate({ workspace });
// @ts-expect-error: a query has no `mutate`
await client.folders.list.mutate({ workspace });

export function errorsOf(error: unknown): readonly string[] {
  return error instanceof TRPCClientError ? ((error as TRPCClientError<PostshelfRouter>).data?.errors?.name ?? []) : [];
}
