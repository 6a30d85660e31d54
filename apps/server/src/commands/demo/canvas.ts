/** sRGB, 0 to 255. */
export type Colour = readonly [number, number, number];

/** A colour by lightness (0 to 1), chroma and hue in degrees, as CSS has it (CSS Color 4, section 9.4). */
export function oklch(lightness: number, chroma: number, hue: number): Colour {
  const a = chroma * Math.cos((hue * Math.PI) / 180);
  const b = chroma * Math.sin((hue * Math.PI) / 180);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    encode(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    encode(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    encode(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ];
}

function encode(linear: number): number {
  const clipped = Math.min(1, Math.max(0, linear));
  return 255 * (clipped <= 0.0031308 ? 12.92 * clipped : 1.055 * clipped ** (1 / 2.4) - 0.055);
}

/** A mixture of two colours. @param at 0 is the first, 1 the second */
export const mix = (one: Colour, other: Colour, at: number): Colour => [
  one[0] + (other[0] - one[0]) * at,
  one[1] + (other[1] - one[1]) * at,
  one[2] + (other[2] - one[2]) * at,
];

/** Pixels from the left and the top; absent: to the edge. */
export interface Box {
  readonly left?: number;
  readonly right?: number;
  readonly top?: number;
  readonly bottom?: number;
}

/** Bytes of a BMP before its pixels. */
const HEADER = 54;

/** A picture that is painted in layers; lengths are pixels. */
export class Canvas {
  readonly #pixels: Float32Array;

  constructor(
    readonly width: number,
    readonly height: number,
  ) {
    this.#pixels = new Float32Array(width * height * 3);
  }

  /** The shorter side. */
  get unit(): number {
    return Math.min(this.width, this.height);
  }

  /**
   * Paints where the mask says.
   *
   * @param mask how much of each pixel is covered, 0 to 1
   * @param box the area that is painted at most
   */
  paint(mask: (x: number, y: number) => number, colour: Colour | ((y: number) => Colour), box: Box = {}): void {
    const { left = 0, right = this.width, top = 0, bottom = this.height } = box;
    const from = Math.max(0, Math.floor(left));
    const to = Math.min(this.width, Math.ceil(right));
    for (let y = Math.max(0, Math.floor(top)); y < Math.min(this.height, Math.ceil(bottom)); y++) {
      const [red, green, blue] = typeof colour === 'function' ? colour(y) : colour;
      for (let x = from, at = (y * this.width + from) * 3; x < to; x++, at += 3) {
        const cover = Math.min(1, mask(x, y));
        if (cover <= 0) continue;
        this.#blend(at, red, cover);
        this.#blend(at + 1, green, cover);
        this.#blend(at + 2, blue, cover);
      }
    }
  }

  #blend(at: number, value: number, cover: number): void {
    const before = this.#pixels[at] ?? 0;
    this.#pixels[at] = before + (value - before) * cover;
  }

  /** Paints a vertical gradient in a box, from the upper colour to the lower one. */
  fade(upper: Colour, lower: Colour, box: Box = {}): void {
    const { top = 0, bottom = this.height } = box;
    this.paint(
      () => 1,
      (y) => mix(upper, lower, (y - top) / (bottom - top)),
      box,
    );
  }

  /** Paints a disc, or an ellipse with `high` other than 1. @param soft width of its blurred edge in pixels */
  disc(x: number, y: number, radius: number, colour: Colour, { soft = 1.5, alpha = 1, high = 1 } = {}): void {
    const [wide, tall] = [radius + soft, radius * high + soft];
    const mask = (at: number, row: number): number =>
      alpha * Math.min(1, (radius - Math.hypot(at - x, (row - y) / high) + soft / 2) / soft);
    this.paint(mask, colour, { left: x - wide, right: x + wide, top: y - tall, bottom: y + tall });
  }

  /** Paints everything below a line. */
  below(line: (x: number) => number, top: Colour, bottom: Colour): void {
    const heights = Array.from({ length: this.width }, (_, x) => line(x));
    const highest = Math.min(...heights);
    this.paint(
      (x, y) => y - (heights[x] ?? 0),
      (y) => mix(top, bottom, (y - highest) / (this.height - highest)),
      { top: highest },
    );
  }

  /** Encodes the picture as a 24-bit BMP. @param noise returns numbers from 0 to 1, used as film grain */
  bmp(noise: () => number): Uint8Array {
    const stride = Math.ceil((this.width * 3) / 4) * 4;
    const file = Buffer.alloc(HEADER + stride * this.height);
    file.write('BM', 'latin1');
    file.writeUInt32LE(file.length, 2);
    file.writeUInt32LE(HEADER, 10);
    file.writeUInt32LE(40, 14);
    file.writeInt32LE(this.width, 18);
    // Negative, as the rows are ordered from top to bottom.
    file.writeInt32LE(-this.height, 22);
    file.writeUInt16LE(1, 26);
    file.writeUInt16LE(24, 28);
    for (let y = 0; y < this.height; y++) {
      for (let x = 0; x < this.width; x++) {
        const from = (y * this.width + x) * 3;
        const to = HEADER + y * stride + x * 3;
        const grain = (noise() - 0.5) * 7;
        for (let part = 0; part < 3; part++) {
          file[to + part] = Math.min(255, Math.max(0, (this.#pixels[from + 2 - part] ?? 0) + grain));
        }
      }
    }
    return file;
  }
}
