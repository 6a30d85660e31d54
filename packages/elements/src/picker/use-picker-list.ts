import { INITIALLY_VISIBLE, pagesOf, useMediaRows, type VisibleRows } from '@postshelf/browser/media/use-media-rows.ts';
import { useRowSelection } from '@postshelf/browser/media/use-row-selection.ts';
import { useStableCallback } from '@postshelf/browser/ui/use-stable-callback.ts';
import { useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import type { Selection } from 'react-stately';
import type { PickerFilter, PickerSession } from './picker-session.ts';

/**
 * Returns a picker's list and selection. After a change of the folder or the search, the list starts at the top again,
 * but the selection is kept.
 */
export function usePickerList(session: PickerSession, filter: PickerFilter) {
  const list = JSON.stringify(filter);
  const [view, setView] = useState({ list, visible: INITIALLY_VISIBLE });
  if (view.list !== list) setView({ list, visible: INITIALLY_VISIBLE });
  const setVisible = useStableCallback((visible: VisibleRows) =>
    setView((was) => (was.list === list ? { list, visible } : was)),
  );
  const pages = pagesOf(view.visible);
  const results = useQueries(
    { queries: pages.map((page) => session.pageQuery(filter, page)) },
    // Each picker has its own query client, because several on a page may use different services.
    session.queries,
  );
  const found = useMediaRows(JSON.stringify([filter.workspace, filter.folder_id]), pages, results);
  const selection = useRowSelection({
    list: filter.workspace,
    rows: found.rows,
    async readPage(page) {
      const { data } = await session.queries.fetchQuery(session.pageQuery(filter, page));
      return data;
    },
    readAll: () => session.readAll(filter),
  });
  const isStill = useStableCallback((was: Selection) => selection.selected === was);
  /**
   * Selects the items that the list has now. They are selected by id, because "all" would come to mean what another
   * folder or search finds, and what others upload.
   *
   * @throws PostshelfError if they can't be read
   */
  const selectAll = useStableCallback(async () => {
    const before = selection.selected;
    const items = await session.readAll(filter);
    if (isStill(before)) selection.set(items);
  });
  return { ...found, list, setVisible, selection: { ...selection, selectAll } };
}
