import { ChangingText } from '@postshelf/browser/ui/changing-text.tsx';
import './viewer.css';
import { formatNumber } from '@postshelf/browser/ui/format-number.ts';
import { useStableCallback } from '@postshelf/browser/ui/use-stable-callback.ts';
import type { MediaItem } from '@postshelf/client';
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { Dialog, Modal, ModalOverlay } from 'react-aria-components';
import { Button } from '../../ui/button.tsx';
import { CloseIcon, DetailsIcon, NextIcon, PreviousIcon, ZoomInIcon, ZoomOutIcon } from '../../ui/icons.tsx';
import { useMediaQuery } from '../../ui/use-media-query.ts';
import { Filmstrip } from './filmstrip.tsx';
import { ItemState } from './item-state.tsx';
import type { PhotoStage, Zoom } from './photo-stage.ts';
import { Stage } from './stage.tsx';
import type { Surroundings } from './use-surroundings.ts';
import { useViewerKeys } from './use-viewer-keys.ts';
import { VideoBar } from './video-bar.tsx';
import { VideoPlayer } from './video-player.tsx';

export interface ViewerProps {
  readonly id: string;
  /** The item's name, which is also the name of the dialog. */
  readonly title: string;
  readonly item: MediaItem | undefined;
  /** Why the item isn't shown; null if it is shown, or hasn't been read yet. */
  readonly problem: string | null;
  readonly surroundings: Surroundings;
  /** Receives a video's player. */
  readonly player: RefObject<HTMLVideoElement | null>;
  /** Whether this item stays until the user confirms that another one may be shown. */
  readonly isHeld: boolean;
  /** Called with the item's id if the browser can't play its video, and with null once the browser can. */
  onUnplayable(id: string | null): void;
  onOpen(id: string): void;
  onClose(): void;
  /** Everything about the item. */
  readonly details: ReactNode;
  readonly children: ReactNode;
}

/**
 * The element that contains the viewer. It is the first in the document, so that the viewer's "Close" button comes
 * before the buttons of notices.
 */
const PLACE = document.getElementById('viewer') ?? document.body;

/** Height of the filmstrip in pixels. */
const STRIP = 68;

/** Factor by which one press of a zoom button enlarges the image. */
const ZOOM_STEP = 1.6;

const UNZOOMABLE: Zoom = { canZoomIn: false, canZoomOut: false };

/** Shows an item in the whole window, with its details next to it and buttons for the previous and the next item. */
export function Viewer(props: ViewerProps) {
  const { id, title, item, problem, surroundings, player, onOpen, onClose } = props;
  const dialog = useRef<HTMLElement>(null);
  const stage = useRef<PhotoStage>(null);
  const [zoom, setZoom] = useState(UNZOOMABLE);
  const [hasDetails, setHasDetails] = useState(false);
  const [isBare, setIsBare] = useState(false);
  const [speed, setSpeed] = useState(1);
  const isNarrow = useMediaQuery('(width < 760px)');
  const isLow = useMediaQuery('(height < 480px)');
  const { index, size, at } = surroundings;
  const [previous, next] = [at(index - 1)?.id ?? null, at(index + 1)?.id ?? null];
  const isVideo = item?.status === 'active' && item.time !== null;
  const hasStrip = problem === null && size > 1 && !isLow && !(isNarrow && hasDetails);
  const { onOpenName, toggleDetails } = useDetails(dialog, hasDetails, setHasDetails);
  const showZoom = useStableCallback((now: Zoom) => {
    if (now.canZoomIn !== zoom.canZoomIn || now.canZoomOut !== zoom.canZoomOut) setZoom(now);
  });
  const onKeyDown = useViewerKeys(dialog, {
    previous: () => previous !== null && onOpen(previous),
    next: () => next !== null && onOpen(next),
    zoomIn: () => stage.current?.zoomBy(ZOOM_STEP),
    zoomOut: () => stage.current?.zoomBy(1 / ZOOM_STEP),
    pan: (pixels) => stage.current?.panBy(pixels),
    details: toggleDetails,
    rename: onOpenName,
    close: onClose,
    video: isVideo && item ? { item, player } : null,
  });
  return (
    <ModalOverlay isOpen onOpenChange={onClose} UNSTABLE_portalContainer={PLACE} className="viewer-overlay">
      <Modal className="viewer-modal">
        {/* biome-ignore lint/a11y/noStaticElementInteractions: handles keys for the dialog, which takes no handler */}
        <div className="viewer-keys" onKeyDown={onKeyDown}>
          <Dialog
            ref={dialog}
            aria-label={title}
            className="viewer"
            data-bare={isBare || undefined}
            data-details={hasDetails || undefined}
            data-strip={hasStrip || undefined}
          >
            <header className="viewer-bar">
              <ViewerButton label="Close" onPress={onClose}>
                <CloseIcon />
              </ViewerButton>
              <h2 aria-live="polite">
                <span title={title}>
                  <ChangingText>{title}</ChangingText>
                </span>
                {size > 1 && (
                  <small>
                    <ChangingText>{`${formatNumber(index + 1)} of ${formatNumber(size)}`}</ChangingText>
                  </small>
                )}
              </h2>
              <ViewerButton
                label="Zoom out"
                isDisabled={!zoom.canZoomOut}
                onPress={() => stage.current?.zoomBy(1 / ZOOM_STEP)}
              >
                <ZoomOutIcon />
              </ViewerButton>
              <ViewerButton
                label="Zoom in"
                isDisabled={!zoom.canZoomIn}
                onPress={() => stage.current?.zoomBy(ZOOM_STEP)}
              >
                <ZoomInIcon />
              </ViewerButton>
              <ViewerButton label="Details" isExpanded={hasDetails} onPress={toggleDetails}>
                <DetailsIcon />
              </ViewerButton>
            </header>
            {problem === null ? (
              <Stage
                id={id}
                surroundings={surroundings}
                bottom={hasStrip ? STRIP : 0}
                isHeld={props.isHeld}
                stage={stage}
                onShow={onOpen}
                onClose={onClose}
                onZoom={showZoom}
                onTap={() => setIsBare(!isBare)}
              >
                {item && isVideo && (
                  <VideoPlayer key={id} item={item} player={player} speed={speed} onUnplayable={props.onUnplayable} />
                )}
                {item && !isVideo && <ItemState item={item} />}
              </Stage>
            ) : (
              <div className="viewer-stage viewer-problem">
                <p role={title === 'Not found' ? undefined : 'alert'}>{problem}</p>
              </div>
            )}
            <div className="viewer-steps">
              <ViewerButton
                label="Previous"
                isDisabled={previous === null}
                onPress={() => previous !== null && onOpen(previous)}
              >
                <PreviousIcon />
              </ViewerButton>
              <ViewerButton label="Next" isDisabled={next === null} onPress={() => next !== null && onOpen(next)}>
                <NextIcon />
              </ViewerButton>
            </div>
            {item && isVideo && <VideoBar item={item} player={player} speed={speed} onSpeed={setSpeed} />}
            {hasStrip && <Filmstrip surroundings={surroundings} onOpen={onOpen} />}
            {hasDetails && (
              <aside id="viewer-details" className="viewer-details" aria-label="Details">
                <h2>Details</h2>
                {props.details}
              </aside>
            )}
            {props.children}
          </Dialog>
        </div>
      </Modal>
    </ModalOverlay>
  );
}

interface ViewerButtonProps {
  readonly label: string;
  readonly isDisabled?: boolean;
  readonly isExpanded?: boolean;
  onPress(): void;
  readonly children: ReactNode;
}

const ViewerButton = ({ label, isExpanded, children, ...props }: ViewerButtonProps) => (
  <Button
    {...props}
    {...(isExpanded !== undefined && { 'aria-expanded': isExpanded, 'aria-controls': 'viewer-details' })}
    variant="quiet"
    className="viewer-button"
    aria-label={label}
    data-tip={label}
  >
    {children}
  </Button>
);

/** Returns functions that open or close the details, and that open them with the focus on the item's name. */
function useDetails(
  dialog: RefObject<HTMLElement | null>,
  hasDetails: boolean,
  setHasDetails: (hasDetails: boolean) => void,
) {
  const [isNamed, setIsNamed] = useState(false);
  useEffect(() => {
    const name = isNamed ? dialog.current?.querySelector<HTMLInputElement>('.item-form input') : null;
    if (!name) return;
    setIsNamed(false);
    name.focus();
    name.select();
  });
  return {
    toggleDetails: (): void => {
      // Moves the focus out of the details, because it would be lost when they are removed.
      if (hasDetails && document.activeElement?.closest('.viewer-details')) dialog.current?.focus();
      setHasDetails(!hasDetails);
    },
    onOpenName: (): void => {
      setHasDetails(true);
      setIsNamed(true);
    },
  };
}
