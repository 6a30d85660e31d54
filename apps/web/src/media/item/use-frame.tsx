import { useMutation } from '@tanstack/react-query';
import { sentenceOf } from '../../service/service.ts';
import { Button } from '../../ui/button.tsx';
import { useNotify } from '../../ui/notices.tsx';
import { changeItem, refreshItem, type SeenItem } from './use-item.ts';

interface UseFrameProps extends SeenItem {
  /** Returns the player's current position in seconds. */
  second(): number;
}

/** Uses the frame that the player shows as the video's cover. */
export function UseFrame({ second, ...seen }: UseFrameProps) {
  const notify = useNotify();
  const choosing = useMutation({
    mutationFn: (at: number) => changeItem(seen, () => ({ cover: { at } })),
    async onSuccess() {
      await refreshItem(seen.item.id);
      notify({ text: 'This frame is the cover now.' });
    },
    onError: (error) => notify({ text: sentenceOf(error) }),
  });
  return (
    <Button onPress={() => choosing.mutate(second())} isPending={choosing.isPending}>
      Use this frame as cover
    </Button>
  );
}
