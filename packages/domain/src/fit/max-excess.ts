/**
 * Milliseconds by which a video may exceed the limit and still be cut. Recorders write whole frames and sound packets, so
 * one that was stopped at the limit is longer by up to two frames or packets.
 */
export const MAX_EXCESS_MS = 100;
