import { JustifiedLayout } from '../ui/justified-layout.ts';
import type { Area } from '../ui/row-layout.ts';
import type { MediaRows } from './media-rows.ts';

/** Pixels. */
const PHONE = 560;
const GAP = 16;
const GAP_ON_PHONES = 8;
const CAPTION = 44;
/** The name alone. */
const CAPTION_ON_PHONES = 28;
const HEADING = 40;

/** Heights of pictures in pixels. */
export const TILE_HEIGHT = { least: 96, most: 360, usual: 196, onPhones: 112 } as const;

/** Taken for the shape of an item until it is known: pictures of posts are upright as often as they are wide. */
const UNKNOWN_ASPECT = 1;

/** What is known of rows for the layout by their positions, and stays known while their pages aren't read. */
export class KnownShapes {
  /** Width divided by height. */
  readonly aspects: (number | undefined)[] = [];
  readonly sections: (string | undefined)[] = [];
}

export interface TileOptions {
  /** The height of pictures in pixels that lines come near to. Default: by the width. */
  readonly height?: number | undefined;
  /** The heading below which an item stands. Without it there are no headings. */
  sectionOf?: ((item: Exclude<ReturnType<MediaRows['valueAt']>, null>) => string) | undefined;
}

export interface TileArea extends Area {
  /** Of the picture, above the caption. */
  readonly pictureHeight: number;
  /** Above the tile, where a section begins with it. */
  readonly heading: string | null;
}

/** The tiles of a list of media in lines, with headings. */
export class TileLayout extends JustifiedLayout {
  private constructor(
    options: ConstructorParameters<typeof JustifiedLayout>[0],
    private readonly headings: ReadonlyMap<number, string>,
    private readonly caption: number,
  ) {
    super(options);
  }

  /**
   * @param width without the padding, in pixels
   * @param known is filled with what the rows tell
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
    return { ...area, pictureHeight: area.height - this.caption, heading: this.headings.get(index) ?? null };
  }
}
