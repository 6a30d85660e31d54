import type { MediaItem } from '@postshelf/client';
import { useRouter } from '@tanstack/react-router';
import { useNotify } from '../../ui/notices.tsx';
import { useMediaFilter } from '../use-media-filter.ts';

/** Tells of an item that is being made, with a link to where it shows how far it is. */
export function useMadeNotice(): (made: MediaItem) => void {
  const notify = useNotify();
  const router = useRouter();
  const { open } = useMediaFilter();
  return ({ id, name }) => {
    const { publicHref } = router.buildLocation({ to: '/media/$item', params: { item: id }, search: true });
    const link = { label: 'Show it', href: router.history.createHref(publicHref), follow: () => open(id) };
    notify({ text: `${name} is being made.`, link });
  };
}
