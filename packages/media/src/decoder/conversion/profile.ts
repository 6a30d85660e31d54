import type { HeifImage } from '@postshelf/domain/formats';
import { BT709, CURVES, displayProfile, PRIMARIES, profileOfGrey } from '../colour-profile.ts';

/** Maximum bytes of a profile. Those of cameras and displays have a few thousand, those of printers a million. */
const MAX_PROFILE = 4 * 1024 * 1024;

const HEADER = 128;

/** Curves of video standards, which browsers display in a still image with the curve of sRGB, and that curve itself. */
const USUAL_CURVES: ReadonlySet<number> = new Set([1, 6, 13, 14, 15]);

/** Returns the profile to store an image with; null if the image is in sRGB. */
export function profileFor({ profile, numbers }: Pick<HeifImage, 'profile' | 'numbers'>): Uint8Array | null {
  return (profile && ofRgb(profile)) ?? (numbers && ofNumbers(numbers));
}

/** Returns the profile if it is one of red, green and blue, to which grey images are decoded as well. */
function ofRgb(profile: Uint8Array): Uint8Array | null {
  const bytes = Buffer.from(profile);
  if (bytes.length <= HEADER || bytes.length > MAX_PROFILE || bytes.toString('latin1', 36, 40) !== 'acsp') return null;
  if (bytes.toString('latin1', 16, 20) === 'RGB ') return bytes;
  try {
    return profileOfGrey(bytes);
  } catch {
    // Decoders ignore a damaged profile.
    return null;
  }
}

function ofNumbers({ primaries, transfer }: NonNullable<HeifImage['numbers']>): Uint8Array | null {
  const space = PRIMARIES[primaries] ?? BT709;
  const curve = (USUAL_CURVES.has(transfer) ? undefined : CURVES[transfer]) ?? 'sRGB';
  return space === BT709 && curve === 'sRGB' ? null : displayProfile(space, curve);
}
