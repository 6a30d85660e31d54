import { useQuery } from '@tanstack/react-query';
import { client, trpc } from '../service/service.ts';
import { useWorkspace } from '../workspaces/use-workspace.ts';

/** Maximum number of tags to choose from; the search still finds others. */
const MOST = 500;

/** Returns the workspace's tags in their order. */
export function useTags(): readonly string[] {
  const { id: workspace } = useWorkspace();
  const { data } = useQuery({
    queryKey: [...trpc.media.tags.pathKey(), workspace],
    queryFn: ({ signal }) => readTags(workspace, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data ?? [];
}

async function readTags(workspace: string, signal: AbortSignal): Promise<string[]> {
  const tags: string[] = [];
  for await (const { data } of client.pages(client.trpc.media.tags, { workspace, per_page: 100 }, { signal })) {
    tags.push(...data.map(({ tag }) => tag));
    if (tags.length >= MOST) break;
  }
  return tags;
}
