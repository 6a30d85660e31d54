/**
 * The most important point of an image or video, in fractions of its width and height as displayed, from 0 to 1. A crop
 * is centred on it, as far as the edges allow.
 */
export interface FocalPoint {
  readonly x: number;
  readonly y: number;
}
