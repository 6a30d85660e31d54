import 'photoswipe/style.css';
import type { MediaItem } from '@postshelf/client';
import PhotoSwipe from 'photoswipe';
import { altOf, type Slide, slideOf } from './slide.ts';
import type { Surroundings } from './use-surroundings.ts';

export interface Zoom {
  readonly canZoomIn: boolean;
  readonly canZoomOut: boolean;
}

/** An element on the stage in which the page itself renders an item. */
export interface Host {
  readonly id: string;
  readonly element: HTMLElement;
}

export interface StageEvents {
  /** Called when the user has swiped to another item. */
  onShow(id: string): void;
  /** Called when the user has dragged the image away. */
  onClose(): void;
  onZoom(zoom: Zoom): void;
  /** Called for a tap with a finger. */
  onTap(): void;
  /** Called with the current item's host; null if PhotoSwipe renders the item. */
  onHost(host: Host | null): void;
}

/** Milliseconds that opening and zooming take: short enough to end before the next key press. */
const OPENING = 200;
const ZOOMING = 180;

/** Milliseconds after opening in which a click counts as the second click of the double click that opened the item. */
const DOUBLE_CLICK = 500;

/**
 * Margins in pixels: `BAR` is the space above each item for the buttons, and below a video for its control bar. `EDGE`
 * is the space below other items.
 */
const BAR = 56;
const EDGE = 8;

/** Pixels at the bottom of a video for the browser's own controls, which also react to dragging. */
const CONTROLS = 80;

/**
 * Shows the images of a list one at a time with PhotoSwipe. Users can swipe, zoom and drag them. PhotoSwipe's own
 * buttons, keys and roles are switched off, because the dialog around the stage has its own.
 */
export class PhotoStage {
  private readonly pswp: PhotoSwipe;
  /** The position of PhotoSwipe's first slide in the list. It changes when items are added before it. */
  private offset = 0;
  private host: HTMLElement | null = null;
  /** Whether PhotoSwipe still has to move to the current item, after its opening animation. */
  private isBehind = false;
  /** Ids of items whose original is shown, because their previews can't be loaded. */
  private readonly broken = new Set<string>();
  private readonly openedAt = performance.now();
  private readonly isMotionReduced = matchMedia('(prefers-reduced-motion: reduce)').matches;

  /**
   * @param element receives the images; it begins at the upper left corner of the window
   * @param bottom returns the pixels covered at the bottom, in addition to a video's own bar; called whenever they may
   *   have changed
   * @param tile the tile from which the image grows when it is opened; null if the image just appears
   */
  constructor(
    element: HTMLElement,
    private id: string,
    private shown: Surroundings,
    private readonly events: StageEvents,
    bottom: () => number,
    tile: HTMLElement | null,
  ) {
    const pswp = new PhotoSwipe({
      appendToEl: element,
      index: shown.index,
      loop: false,
      escKey: false,
      trapFocus: false,
      returnFocus: false,
      arrowPrev: false,
      arrowNext: false,
      zoom: false,
      close: false,
      counter: false,
      wheelToZoom: true,
      pinchToClose: false,
      bgOpacity: 1,
      bgClickAction: false,
      imageClickAction: (point) => {
        if (performance.now() - this.openedAt > DOUBLE_CLICK) this.pswp.currSlide?.toggleZoom(point);
      },
      tapAction: () => events.onTap(),
      doubleTapAction: 'zoom',
      showHideAnimationType: tile === null ? 'none' : 'zoom',
      showAnimationDuration: OPENING,
      zoomAnimationDuration: ZOOMING,
      spacing: 0.05,
      getViewportSizeFn: () => ({ x: element.clientWidth, y: element.clientHeight }),
      paddingFn: (_, { type }) => ({
        top: BAR,
        bottom: bottom() + (type === 'video' ? BAR : EDGE),
        left: 0,
        right: 0,
      }),
      errorMsg: 'The image can’t be loaded.',
    });
    this.pswp = pswp;
    pswp.addFilter('numItems', () => this.count());
    pswp.addFilter('itemData', (_, index) => this.slideAt(index));
    pswp.addFilter('isContentZoomable', (isZoomable, { type }) => isZoomable && type === 'image');
    pswp.addFilter('placeholderSrc', () => false);
    if (tile) pswp.addFilter('thumbEl', () => tile);
    // Ignores pointers outside the stage.
    pswp.addFilter('preventPointerEvent', (isPrevented, { target }) => isPrevented && element.contains(target as Node));
    pswp.on('keydown', (event) => event.preventDefault());
    pswp.on('pointerDown', (event) => {
      if (isOnControls(event.originalEvent)) event.preventDefault();
    });
    pswp.on('contentLoad', (event) => {
      const { data } = event.content;
      if (data.type === 'image') return;
      event.preventDefault();
      const own = document.createElement('div');
      own.className = `pswp__content viewer-${data.type}`;
      if (data.placeholder) own.style.backgroundImage = `url("${data.placeholder}")`;
      event.content.element = own;
    });
    pswp.on('slideLoad', ({ slide: { data, content } }) => {
      const behind = content.placeholder?.element;
      if (!behind) return;
      if (data.isTransparent) behind.style.background = 'none';
      else if (data.placeholder) behind.style.background = `url("${data.placeholder}") center / 100% 100%`;
    });
    pswp.on('contentAppendImage', ({ content: { element: image, data } }) => {
      if (image && data.isTransparent) image.dataset.transparent = 'true';
    });
    pswp.on('loadError', ({ content: { data } }) => {
      if (data.id === null || this.broken.has(data.id)) return;
      this.broken.add(data.id);
      this.update();
    });
    pswp.on('contentActivate', ({ content: { data, element: own } }) => {
      const isHost = data.type !== 'image' && own !== undefined && data.id !== null;
      this.host = isHost ? own : null;
      events.onHost(isHost ? { id: data.id, element: own } : null);
    });
    pswp.on('contentDeactivate', ({ content }) => this.leaveHost(content.element));
    pswp.on('contentRemove', ({ content }) => this.leaveHost(content.element));
    pswp.on('zoomPanUpdate', () => this.reportZoom());
    pswp.on('change', () => this.onChange());
    // The timer runs after PhotoSwipe's own listeners, which place the slides next to the first one.
    pswp.on('openingAnimationEnd', () => void setTimeout(() => this.follow()));
    pswp.close = () => events.onClose();
    pswp.init();
    this.forgetRoles();
  }

  /**
   * Shows an item, and updates the stage to the current state of the list.
   *
   * @returns false if the stage can't show it and has to be recreated
   */
  show(id: string, shown: Surroundings): boolean {
    const before = { id: this.id, shown: this.shown };
    [this.id, this.shown] = [id, shown];
    if (id === before.id) {
      const moved = shown.index - before.shown.index;
      if (moved !== 0 && before.shown.size === 1) return false;
      this.offset += moved;
    }
    if (this.offset < 0 || shown.index < this.offset) return false;
    if (id !== before.id) this.isBehind = true;
    if (this.isBehind) this.follow();
    else this.update();
    return true;
  }

  /** Returns an image to its original position after it was dragged or swiped away. */
  restore(): void {
    this.pswp.applyBgOpacity(1);
    this.pswp.currSlide?.zoomAndPanToInitial();
    this.pswp.currSlide?.applyCurrentZoomPan();
    this.follow();
  }

  /** Zooms the image. @param factor above 1 to zoom in */
  zoomBy(factor: number): void {
    const slide = this.pswp.currSlide;
    if (!slide || !this.pswp.opener.isOpen) return;
    const level = Math.max(slide.zoomLevels.initial, slide.currZoomLevel * factor);
    slide.zoomTo(level, undefined, this.isMotionReduced ? 0 : ZOOMING);
    this.reportZoom();
  }

  /** Moves a zoomed image. @param pixels the distance downwards; negative moves the image up */
  panBy(pixels: number): void {
    const slide = this.pswp.currSlide;
    if (slide?.isPannable()) slide.panTo(slide.pan.x, slide.pan.y + pixels);
  }

  /** Updates the layout. Must be called when the size of the element changes, or of anything that covers it. */
  resize(): void {
    this.pswp.updateSize(true);
  }

  destroy(): void {
    this.pswp.animations.stopAll();
    // PhotoSwipe's `close` isn't used, because it does nothing during the opening animation, and leaves listeners on
    // the window.
    this.pswp.isDestroying = true;
    this.pswp.destroy();
  }

  private count(): number {
    return Math.max(1, this.shown.size - this.offset);
  }

  private itemAt(index: number): MediaItem | null {
    return this.shown.at(index + this.offset);
  }

  private slideAt(index: number): Slide {
    const item = this.itemAt(index);
    return slideOf(item, this.isMotionReduced, item !== null && this.broken.has(item.id));
  }

  /** Moves PhotoSwipe to the item to show. */
  private follow(): void {
    const { pswp } = this;
    if (!pswp.opener.isOpen || pswp.isDestroying) return;
    this.isBehind = false;
    pswp.goTo(this.shown.index - this.offset);
    this.update();
  }

  /** Updates the slides to the current state of the list. */
  private update(): void {
    const { pswp } = this;
    if (!pswp.opener.isOpen || pswp.isDestroying) return;
    const { currIndex, mainScroll, contentLoader } = pswp;
    for (let index = currIndex - 3; index <= currIndex + 3; index += 1) {
      const isOnStage = Math.abs(index - currIndex) <= 1;
      const content = contentLoader.getContentByIndex(index);
      const item = this.itemAt(index);
      if (content && content.data.key !== this.slideAt(index).key) {
        if (isOnStage) pswp.refreshSlideContent(index);
        else contentLoader.removeByIndex(index);
      } else if (content?.element instanceof HTMLImageElement && item) content.element.alt = altOf(item);
      // The list has become longer, so this slide has an item now.
      else if (!content && item && isOnStage && !mainScroll.itemHolders.some(({ slide }) => slide?.index === index))
        pswp.refreshSlideContent(index);
    }
    this.onChange();
  }

  private onChange(): void {
    const { pswp } = this;
    const current = pswp.mainScroll.itemHolders[1]?.el;
    // The current slide comes first in the document, whichever of PhotoSwipe's three elements shows it.
    if (current && pswp.container && pswp.container.firstElementChild !== current) pswp.container.prepend(current);
    this.reportZoom();
    const item = this.itemAt(pswp.currIndex);
    if (this.isBehind || !item || item.id === this.id) return;
    this.events.onShow(item.id);
  }

  private reportZoom(): void {
    const slide = this.pswp.currSlide;
    const isZoomable = slide?.isZoomable() ?? false;
    this.events.onZoom({
      canZoomIn: isZoomable && slide !== undefined && slide.currZoomLevel < slide.zoomLevels.max * 0.999,
      canZoomOut: isZoomable && slide !== undefined && slide.currZoomLevel > slide.zoomLevels.initial * 1.001,
    });
  }

  private leaveHost(element: HTMLElement | undefined): void {
    if (element === undefined || element !== this.host) return;
    this.host = null;
    this.events.onHost(null);
  }

  /** Removes PhotoSwipe's roles of a dialog and a carousel, because the page has its own. */
  private forgetRoles(): void {
    const { element, scrollWrap, container, mainScroll } = this.pswp;
    for (const one of [element, scrollWrap, container, ...mainScroll.itemHolders.map(({ el }) => el)])
      for (const name of ['role', 'aria-roledescription', 'aria-live', 'tabindex', 'id']) one?.removeAttribute(name);
  }
}

function isOnControls({ target, clientY, pointerType }: PointerEvent): boolean {
  if (!(target instanceof Element)) return false;
  if (target.closest('button, a, select, .viewer-state')) return true;
  const player = target.closest('video');
  return player !== null && (pointerType === 'mouse' || clientY > player.getBoundingClientRect().bottom - CONTROLS);
}
