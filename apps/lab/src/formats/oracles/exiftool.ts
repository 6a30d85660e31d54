import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { outputOf } from './run.ts';
import { kindOf, type Oracle, type View } from './view.ts';

/** Metadata that the stored copy of an image should share with the original. */
const TAGS = [
  'EXIF:DateTimeOriginal',
  'EXIF:ImageDescription',
  'EXIF:GPSLatitude',
  'EXIF:GPSLongitude',
  'XMP-iptcExt:LocationCreatedCity',
];

/**
 * Opens ExifTool, which reads the date, texts and coordinates of a HEIC or AVIF file and of its stored copy, so that
 * they can be compared. Returns null if ExifTool isn't installed.
 */
export function openExiftool(): Oracle | null {
  const exiftool = Bun.which('exiftool');
  if (exiftool === null) return null;
  const metadataOf = async (path: string): Promise<string> => {
    const output = await outputOf([exiftool, '-n', '-j', '-G', ...TAGS.map((tag) => `-${tag}`), path]);
    const { SourceFile: _, ...facts } = JSON.parse(output?.toString() || '[{}]')[0] as Record<string, unknown>;
    return JSON.stringify(facts);
  };
  return {
    name: 'ExifTool',
    async inspect(specimen, original): Promise<View | null> {
      const hasMetadata = specimen.family === null || 'metadata' in specimen.traits;
      if (!original || !hasMetadata || (await kindOf(specimen)) !== 'heif') return null;
      const folder = await mkdtemp(join(tmpdir(), 'postshelf-formats-'));
      try {
        const stored = join(folder, 'stored');
        await Bun.write(stored, await original());
        return { shows: true, metadata: { here: await metadataOf(specimen.path), stored: await metadataOf(stored) } };
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
    close: async () => undefined,
  };
}
