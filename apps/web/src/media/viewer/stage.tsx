import { useStableCallback } from '@postshelf/browser/ui/use-stable-callback.ts';
import { type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { type Host, PhotoStage, type StageEvents } from './photo-stage.ts';
import type { Surroundings } from './use-surroundings.ts';

export interface StageProps extends Omit<StageEvents, 'onHost'> {
  readonly id: string;
  readonly surroundings: Surroundings;
  /** Number of pixels that are covered at the bottom. */
  readonly bottom: number;
  /** Whether this item stays until the user confirms that another one may be shown. */
  readonly isHeld: boolean;
  /** Receives the stage while it exists. */
  readonly stage: RefObject<PhotoStage | null>;
  /** What the page itself renders for an item that isn't an image. */
  readonly children: ReactNode;
}

/** The open item's image, with its neighbours in the list on both sides. */
export function Stage({ id, surroundings, bottom, isHeld, stage, children, ...events }: StageProps) {
  const element = useRef<HTMLDivElement>(null);
  const [host, setHost] = useState<Host | null>(null);
  const covered = useRef(bottom);
  covered.current = bottom;
  const onShow = useStableCallback(events.onShow);
  const onClose = useStableCallback(events.onClose);
  const onZoom = useStableCallback(events.onZoom);
  const onTap = useStableCallback(events.onTap);
  const make = useStableCallback((tile: HTMLElement | null): void => {
    if (!element.current) return;
    stage.current?.destroy();
    const handlers = { onShow, onClose, onZoom, onTap, onHost: setHost };
    stage.current = new PhotoStage(element.current, id, surroundings, handlers, () => covered.current, tile);
  });
  useLayoutEffect(() => {
    make(document.querySelector<HTMLElement>(`[role="grid"] [data-key="${CSS.escape(id)}"] .tile-frame`));
    const observer = new ResizeObserver(() => stage.current?.resize());
    if (element.current) observer.observe(element.current);
    return () => {
      observer.disconnect();
      stage.current?.destroy();
      stage.current = null;
    };
  }, [make, stage]);
  useEffect(() => {
    if (stage.current?.show(id, surroundings) === false) make(null);
  });
  useEffect(() => stage.current?.resize(), [bottom, stage]);
  useEffect(() => {
    if (isHeld) stage.current?.restore();
  }, [isHeld, stage]);
  return (
    <div ref={element} className="viewer-stage">
      {host?.id === id && createPortal(children, host.element)}
    </div>
  );
}
