import { colorTableLength, GIF_HEADER, IMAGE_DESCRIPTOR } from './gif.ts';

const [EXTENSION, IMAGE, TRAILER, FILLING] = [0x21, 0x2c, 0x3b, 0];
const GRAPHIC_CONTROL = 0xf9;
const MAX_CODES = 4096;

/**
 * Whether all pixels of all frames of a GIF decode (GIF89a, appendix F). The trailer and the end of the last frame's
 * data may be missing, but no declared frame may be missing. Chromium and ffmpeg end at bytes that start no block, so no
 * frame may follow these.
 */
export function allPixelsDecode(bytes: Uint8Array): boolean {
  const lengths = new Uint16Array(MAX_CODES);
  let at = GIF_HEADER + colorTableLength(bytes[10] ?? 0);
  let [frames, isAnnounced] = [0, false];
  while (at < bytes.length) {
    const introducer = bytes[at] ?? 0;
    if (introducer === TRAILER) break;
    if (introducer === FILLING) at += 1;
    else if (introducer === EXTENSION) {
      isAnnounced ||= bytes[at + 1] === GRAPHIC_CONTROL;
      at = afterSubBlocks(bytes, at + 2);
      if (at > bytes.length) return false;
    } else if (introducer === IMAGE) {
      const flags = bytes[at + IMAGE_DESCRIPTOR - 1];
      if (flags === undefined) return false;
      const pixels = uint16(bytes, at + 5) * uint16(bytes, at + 7);
      const data = at + IMAGE_DESCRIPTOR + colorTableLength(flags);
      if (!hasPixels(bytes, data, pixels, lengths)) return false;
      at = afterSubBlocks(bytes, data + 1);
      frames += 1;
      isAnnounced = false;
    } else if (bytes.includes(IMAGE, at)) return false;
    else break;
  }
  return frames > 0 && !isAnnounced;
}

const uint16 = (bytes: Uint8Array, at: number): number => (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8);

/**
 * Returns the offset after the sub-blocks. The offset is beyond the end of the file if the sub-blocks are truncated.
 */
function afterSubBlocks(bytes: Uint8Array, at: number): number {
  for (let from = at; ; ) {
    const length = bytes[from];
    if (length === undefined) return bytes.length + 1;
    from += 1 + length;
    if (length === 0) return from;
  }
}

/**
 * Whether the data contains all pixels. The pixels are only counted: `lengths` holds how many pixels each code
 * represents.
 */
function hasPixels(bytes: Uint8Array, start: number, pixels: number, lengths: Uint16Array): boolean {
  const size = bytes[start] ?? 0;
  if (size < 1 || size > 11) return pixels === 0;
  const clear = 1 << size;
  lengths.fill(1, 0, clear);
  let [next, width, previous] = [clear + 2, size + 1, -1];
  let [buffer, bits, left] = [0, 0, pixels];
  for (let at = start + 1; left > 0; ) {
    const end = at + 1 + (bytes[at] ?? 0);
    if (end === at + 1) return false;
    for (at += 1; at < end && left > 0; at += 1) {
      const byte = bytes[at];
      if (byte === undefined) return false;
      buffer |= byte << bits;
      bits += 8;
      while (bits >= width && left > 0) {
        const code = buffer & ((1 << width) - 1);
        buffer >>>= width;
        bits -= width;
        if (code === clear) [next, width, previous] = [clear + 2, size + 1, -1];
        else if (code === clear + 1 || code > next || (code === next && previous < 0)) return false;
        else {
          if (previous >= 0 && next < MAX_CODES) {
            lengths[next] = (lengths[previous] ?? 0) + 1;
            next += 1;
            if (next === 1 << width && width < 12) width += 1;
          }
          if (code >= next) return false;
          left -= lengths[code] ?? 0;
          previous = code;
        }
      }
    }
  }
  return true;
}
