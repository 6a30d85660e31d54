import { PAGE_SIZE } from '@postshelf/browser/media/media-rows.ts';
import { pagesOf, useMediaRows, type VisibleRows } from '@postshelf/browser/media/use-media-rows.ts';
import { useRowSelection } from '@postshelf/browser/media/use-row-selection.ts';
import type { MediaItem, Operations } from '@postshelf/client';
import { useQueries } from '@tanstack/react-query';
import { readAll } from '../service/read-all.ts';
import { root } from '../service/root.ts';
import { client, queryClient, trpc } from '../service/service.ts';

/** Milliseconds between two refreshes; no event reports that others have emptied the trash. */
const AGAIN = 4000;

const pageQuery = (workspace: string, page: number) =>
  trpc.trash.list.queryOptions({ workspace, page, per_page: PAGE_SIZE });

type TrashPage = Operations['trash']['list']['output'];

/**
 * Adds previews to a page of the trash. The usual preview links don't work for deleted items, so each item gets a link
 * that needs the session's cookie.
 */
const previewed = (page: TrashPage): TrashPage & { readonly data: readonly MediaItem[] } => ({
  ...page,
  data: page.data.map((item) => ({ ...item, details: { ...NO_DETAILS, previews: [previewOf(item)] } })),
});

const previewOf = ({ id, width, height }: MediaItem) => ({
  width: width ?? 0,
  height: height ?? 0,
  link: new URL(`v1/trash/${id}/preview`, root).href,
});

/** Empty values for details that the trash doesn't show. */
const NO_DETAILS: NonNullable<MediaItem['details']> = {
  sha256: null,
  mime: null,
  created_at: '',
  updated_at: '',
  alt_text: null,
  focus: null,
  tags: [],
  placeholder: null,
  previews: [],
  created_by: null,
  source: null,
  converted_from: null,
  image: null,
  video: null,
};

/** Returns the rows of the trash; only the first page, and the pages with visible or selected rows, are read. */
export function useTrash(workspace: string, visible: VisibleRows) {
  const pages = pagesOf(visible);
  const queries = pages.map((page) => ({ ...pageQuery(workspace, page), refetchInterval: AGAIN, select: previewed }));
  const found = useMediaRows(workspace, pages, useQueries({ queries }));
  const selection = useRowSelection({
    list: workspace,
    rows: found.rows,
    readPage: async (page) => (await queryClient.fetchQuery(pageQuery(workspace, page))).data,
    readAll: async () => (await readAll(client.trpc.trash.list, { workspace })).rows,
  });
  return { ...found, selection };
}
