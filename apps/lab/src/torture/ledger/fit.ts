import type { Content } from '../support/contents.ts';

/**
 * The properties that a fit must have. They follow from the rules in docs/networks.md, and from the size of the files
 * that clients send: 160 × 96 pixels.
 */
export interface FitShape {
  readonly target: string;
  /** The name that ffprobe uses. */
  readonly codec: string;
  readonly width: number;
  readonly height: number;
}

const enlarged: FitShape = { target: 'instagram.feed', codec: 'mjpeg', width: 320, height: 192 };
const asItIs = (codec: string): FitShape => ({ target: 'x.post', codec, width: 160, height: 96 });

/** The fits that clients request. */
export const FIT_SHAPES: { readonly [Kind in Content['kind']]: readonly FitShape[] } = {
  jpeg: [enlarged, asItIs('mjpeg')],
  png: [enlarged, asItIs('png')],
  mp4: [asItIs('h264')],
};

/**
 * Returns the name that the service gives a fit, without its extension.
 *
 * @param stem the name of its original, without its extension
 */
export const stemOfFit = (stem: string, { target }: FitShape): string => `${stem}-${target.replaceAll('.', '-')}`;
