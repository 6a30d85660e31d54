import {
  type BoundedReader,
  Damaged,
  FrameTimes,
  type ParentBox,
  SampleChunks,
  TableWindow,
  tableOf,
} from '@postshelf/domain/formats';
import { SampleDescriptions } from './descriptions.ts';

/** Reads the durations of samples from `stts` (ISO/IEC 14496-12, section 8.6.1). Throws `Damaged` and `Unreadable`. */
export async function sampleTimes(reader: BoundedReader, track: ParentBox): Promise<FrameTimes> {
  const times = new FrameTimes();
  const box = tableOf(track, 'stts');
  if (box === null) return times;
  const runs = await TableWindow.open(reader, box, { header: 8, entry: 64 });
  while (runs.left > 0) {
    if (runs.isEmpty) await runs.fill();
    const at = runs.take();
    times.add(runs.view.getUint32(at), runs.view.getUint32(at + 4));
  }
  return times;
}

export interface PlacedSamples {
  readonly samples: number;
  readonly bytes: number;
}

/**
 * Reads where samples are stored. Throws `Damaged` if a chunk reaches past the end of the file. Chunks in other files
 * can't be checked.
 */
export async function placedSamples(
  reader: BoundedReader,
  track: ParentBox,
  times: FrameTimes,
): Promise<PlacedSamples> {
  const descriptions = new SampleDescriptions(track);
  const sound = times.isOne(1) ? descriptions : null;
  const chunks = (await SampleChunks.open(reader, (type) => tableOf(track, type), sound)) ?? [];
  let [samples, bytes] = [0, 0];
  for (const chunk of chunks) {
    if ('fill' in chunk) {
      await chunk.fill();
      continue;
    }
    const { start, length, description } = chunk;
    if (length > 0 && start + length > reader.size && !descriptions.isElsewhere(description))
      throw new Damaged('Samples lie after the end of the file.');
    samples += chunk.samples;
    bytes += length;
  }
  return { samples, bytes };
}
