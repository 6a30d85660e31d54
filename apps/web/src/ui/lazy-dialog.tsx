import { useStableCallback } from '@postshelf/browser/ui/use-stable-callback.ts';
import { type ComponentType, useEffect, useState } from 'react';
import { loadOnDemand } from './load-on-demand.ts';
import { useNotify } from './notices.tsx';

/**
 * Creates a dialog whose code is loaded when it is first opened. If loading fails, the dialog closes with a notice. The
 * page stays as it is, with the text that the user has typed.
 */
export function lazyDialog<Props extends { onClose(): void }>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  const code = loadOnDemand(load);
  return function LazyDialog(props: Props) {
    const [Loaded, setLoaded] = useState(() => code.loaded);
    const notify = useNotify();
    const fail = useStableCallback(() => {
      notify({
        text: 'Can’t reach the server, or the page has been updated. Try again, or reload the page.',
        tone: 'bad',
      });
      props.onClose();
    });
    useEffect(() => {
      let isClosed = false;
      code.load().then(
        (loaded) => setLoaded(() => loaded),
        () => {
          if (!isClosed) fail();
        },
      );
      return () => {
        isClosed = true;
      };
    }, [fail]);
    return Loaded && <Loaded {...props} />;
  };
}
