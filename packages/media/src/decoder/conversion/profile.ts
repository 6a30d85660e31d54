import type { HeifImage } from '@postshelf/domain/formats';
import { BT709, CURVES, displayProfile, PRIMARIES, profileOfGrey } from '../colour-profile.ts';

/** Bytes. Those of cameras and displays have some thousands, of printers a million. */
const MAX_PROFILE = 4 * 1024 * 1024;

const HEADER = 128;

/** Curves of standards for video, which browsers show by that of sRGB in a still image, and that one. */
const USUAL_CURVES: ReadonlySet<number> = new Set([1, 6, 13, 14, 15]);

/** The profile that an image is stored with; null if it is one in sRGB. */
export function profileFor({ profile, numbers }: Pick<HeifImage, 'profile' | 'numbers'>): Uint8Array | null {
  return (profile && ofRgb(profile)) ?? (numbers && ofNumbers(numbers));
}

/** Decoded images are red, green and blue, also those of grey. */
function ofRgb(profile: Uint8Array): Uint8Array | null {
  const bytes = Buffer.from(profile);
  if (bytes.length <= HEADER || bytes.length > MAX_PROFILE || bytes.toString('latin1', 36, 40) !== 'acsp') return null;
  if (bytes.toString('latin1', 16, 20) === 'RGB ') return bytes;
  try {
    return profileOfGrey(bytes);
  } catch {
    // Decoders overlook a damaged profile.
    return null;
  }
}

function ofNumbers({ primaries, transfer }: NonNullable<HeifImage['numbers']>): Uint8Array | null {
  const space = PRIMARIES[primaries] ?? BT709;
  const curve = (USUAL_CURVES.has(transfer) ? undefined : CURVES[transfer]) ?? 'sRGB';
  return space === BT709 && curve === 'sRGB' ? null : displayProfile(space, curve);
}
