/**
 * The place of a picture that matters most, in fractions of its width and height as displayed, from 0 to 1. What is left of
 * the picture has it in its middle, or as near as the edges allow.
 */
export interface FocalPoint {
  readonly x: number;
  readonly y: number;
}
