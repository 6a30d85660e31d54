import { JustifiedLayout } from '../ui/justified-layout.ts';
import type { Area } from '../ui/row-layout.ts';
import type { MediaRows } from './media-rows.ts';

/** Lists narrower than `PHONE` have the layout for phones. `GAP` is the space between tiles. Both are in pixels. */
const PHONE = 560;
const GAP = 16;
const GAP_ON_PHONES = 8;
const CAPTION = 44;
/** Height of a caption with only the name, in pixels. */
const CAPTION_ON_PHONES = 28;
const HEADING = 40;

/** Heights of images in pixels. */
export const TILE_HEIGHT = { min: 96, max: 360, usual: 196, onPhones: 112 } as const;

/** Assumed aspect ratio of an item until it is known: images for posts are portrait as often as landscape. */
const UNKNOWN_ASPECT = 1;

/**
 * The known aspect ratios and section headings of rows, by position. They are kept even when the page of a row is no
 * longer loaded.
 */
export class KnownShapes {
  /** Width divided by height. */
  readonly aspects: (number | undefined)[] = [];
  readonly sections: (string | undefined)[] = [];
}

export interface TileOptions {
  /** Target height of images in pixels. By default, it depends on the list's width. */
  readonly height?: number | undefined;
  /** Returns the heading of an item's section. Without this function, the list has no headings. */
  sectionOf?: ((item: Exclude<ReturnType<MediaRows['valueAt']>, null>) => string) | undefined;
}

export interface TileArea extends Area {
  /** Height of the image, above the caption. */
  readonly imageHeight: number;
  /** The heading above the tile, if a section begins with it. */
  readonly heading: string | null;
}

/** Layout of a media list's tiles in lines, with headings. */
export class TileLayout extends JustifiedLayout {
  private constructor(
    options: ConstructorParameters<typeof JustifiedLayout>[0],
    private readonly headings: ReadonlyMap<number, string>,
    private readonly caption: number,
  ) {
    super(options);
  }

  /**
   * @param width the list's width without its padding, in pixels
   * @param known is updated with the aspect ratios and section headings of the rows
   */
  static of(rows: MediaRows, width: number, known: KnownShapes, { height, sectionOf }: TileOptions): TileLayout {
    const { aspects, sections } = known;
    for (const [index, item] of rows.read()) {
      const { width: wide, height: high } = item;
      aspects[index] = wide !== null && high !== null && wide > 0 && high > 0 ? wide / high : UNKNOWN_ASPECT;
      sections[index] = sectionOf?.(item);
    }
    const headings = new Map<number, string>();
    let before: string | undefined;
    for (let index = 0; sectionOf && index < rows.size; index += 1) {
      const section = sections[index];
      if (section === undefined || section === before) continue;
      headings.set(index, section);
      before = section;
    }
    const isPhone = width < PHONE;
    const caption = isPhone ? CAPTION_ON_PHONES : CAPTION;
    return new TileLayout(
      {
        size: rows.size,
        width,
        aspectAt: (index) => aspects[index] ?? UNKNOWN_ASPECT,
        startsSection: (index) => headings.has(index),
        target: height ?? (isPhone ? TILE_HEIGHT.onPhones : TILE_HEIGHT.usual),
        gap: isPhone ? GAP_ON_PHONES : GAP,
        caption,
        heading: HEADING,
      },
      headings,
      caption,
    );
  }

  override areaOf(index: number): TileArea {
    const area = super.areaOf(index);
    return { ...area, imageHeight: area.height - this.caption, heading: this.headings.get(index) ?? null };
  }
}
