import { exceptionTo, type Property } from './exceptions.ts';
import { type Fingerprint, looksLike, summaryOf } from './fingerprint.ts';
import type { View, Views } from './oracles/view.ts';
import type { Item, Sight, Stored } from './service.ts';
import type { Specimen } from './specimen.ts';

export interface Disagreement {
  readonly specimen: Specimen;
  readonly property: Property;
  /** What each program answered: the service first, then each oracle that has an answer. */
  readonly says: Readonly<Record<string, string>>;
  /** Whether the oracles differ among themselves: at least one of them agrees with the service. */
  readonly isSplit: boolean;
}

/** If programs differ, this oracle decides, because it shows what users see. */
export const ARBITER = 'Chromium';
const PROJECT = 'the project';

interface Opinion {
  readonly agrees: boolean;
  readonly text: string;
}

/** Returns every property of the file that the service reports differently from the oracles. */
export function judge(specimen: Specimen, stored: Stored, views: Views): readonly Disagreement[] {
  const found: Disagreement[] = [];
  const compare = (property: Property, service: string, opinions: ReadonlyMap<string, Opinion>): void => {
    const counted = [...opinions].filter(([oracle]) => !exceptionTo({ specimen, property, oracle, stored, views }));
    const decisive = counted.filter(([oracle]) => oracle === PROJECT);
    const arbiter = counted.filter(([oracle]) => oracle === ARBITER);
    const judges = decisive.length > 0 ? decisive : arbiter.length > 0 ? arbiter : counted;
    if (judges.every(([, { agrees }]) => agrees)) return;
    found.push({
      specimen,
      property,
      says: { service, ...Object.fromEntries(counted.map(([oracle, { text }]) => [oracle, text])) },
      isSplit: decisive.length === 0 && counted.some(([, { agrees }]) => agrees),
    });
  };
  const opinionsOf = (opinion: (view: View) => Opinion | null): Map<string, Opinion> =>
    new Map(
      [...views]
        .map(([oracle, view]) => [oracle, opinion(view)] as const)
        .filter((pair): pair is [string, Opinion] => pair[1] !== null),
    );

  if ('refused' in stored) {
    judgeRefusal(specimen, stored.refused, views, compare);
    return found;
  }
  const shown = opinionsOf((view) => ({ agrees: view.shows, text: view.shows ? 'shows it' : 'shows nothing' }));
  if (specimen.expected && specimen.expected !== 'taken')
    compare(
      'acceptance',
      'accepted',
      new Map([[PROJECT, { agrees: false, text: `to be refused: ${specimen.expected}` }]]),
    );
  // The service may accept a file that only one oracle shows, because no oracle supports all codecs.
  else if ([...views.values()].every((view) => !view.shows)) compare('acceptance', 'accepted', shown);
  const opinion =
    (property: (view: View) => string | null, service: string) =>
    (view: View): Opinion | null => {
      const text = view.shows ? property(view) : null;
      return text === null ? null : { agrees: text === service, text };
    };
  compare('type', stored.type, opinionsOf(opinion(({ type }) => type ?? null, stored.type)));
  const size = `${stored.width} × ${stored.height}`;
  compare('size', size, opinionsOf(opinion((view) => (view.width ? `${view.width} × ${view.height}` : null), size)));
  judgeCopy(stored, views, compare);
  judgeTimes(stored, opinionsOf, compare);
  judgeImages(stored, views, opinionsOf, compare);
  return found;
}

type Compare = (property: Property, service: string, opinions: ReadonlyMap<string, Opinion>) => void;
type OpinionsOf = (opinion: (view: View) => Opinion | null) => Map<string, Opinion>;

function judgeRefusal(specimen: Specimen, reason: string, views: Views, compare: Compare): void {
  const { expected } = specimen;
  if (expected === 'taken')
    compare('acceptance', reason, new Map([[PROJECT, { agrees: false, text: 'to be accepted' }]]));
  if (expected === 'type' && /damaged|incomplete/.test(reason))
    compare('reason', reason, new Map([[PROJECT, { agrees: false, text: 'not damaged, but of another type' }]]));
  if (expected !== undefined) return;
  // Programs also show incomplete files, so an oracle that shows such a file doesn't prove that the service was wrong
  // to refuse it.
  if ([...views.values()].some(({ notes }) => notes?.includes('incomplete'))) return;
  const isSeen = [...views.values()].some((view) => view.shows);
  if (!isSeen) return;
  const opinions = [...views].map(
    ([oracle, { shows }]) => [oracle, { agrees: !shows, text: shows ? 'shows it' : 'shows nothing' }] as const,
  );
  compare('acceptance', reason, new Map(opinions));
}

/**
 * When an image is converted, its stored copy is compared with an oracle's decoded pixels, encoded by the same encoder.
 * These limits allow for decoders that restore subsampled colours with different filters. `maxMean` limits the mean
 * difference between samples, which range from 0 to 255. `minPsnr` is in dB.
 */
const COPY = { maxMean: 2, minPsnr: 32 };
const COPY_OF_HDR = { maxMean: 9, minPsnr: 24 };

function judgeCopy({ width, height }: Item, views: Views, compare: Compare): void {
  for (const [oracle, { loss, metadata, notes }] of views) {
    if (loss) {
      const text = `mean ${loss.mean.toFixed(2)}, most ${loss.max}, PSNR ${loss.psnr.toFixed(1)} dB`;
      const { maxMean, minPsnr } = notes?.includes('HDR') ? COPY_OF_HDR : COPY;
      const leniency = Math.min(width, height) < NARROW ? 2.5 : 1;
      const agrees = loss.mean <= maxMean * leniency && loss.psnr >= minPsnr;
      compare('pixels', 'as it was decoded', new Map([[oracle, { agrees, text }]]));
    }
    if (metadata)
      compare(
        'metadata',
        metadata.stored,
        new Map([[oracle, { agrees: metadata.here === metadata.stored, text: metadata.here }]]),
      );
  }
}

/**
 * Maximum difference between two durations, in seconds. A decoder's delay of two frames is 0.08 s at 25 frames a
 * second, so a duration that wrongly includes this delay exceeds the maximum.
 */
const MAX_DIFFERENCE = 0.06;

function judgeTimes({ time, seconds }: Item, opinionsOf: OpinionsOf, compare: Compare): void {
  if (time === null) return;
  const exact = (view: View): Opinion | null =>
    !view.shows || view.seconds === undefined || seconds === null
      ? null
      : { agrees: Math.abs(view.seconds - seconds) <= MAX_DIFFERENCE, text: `${view.seconds.toFixed(3)} s` };
  compare('duration', `${seconds?.toFixed(3)} s`, opinionsOf(exact));
  const min = seconds ?? time;
  const rounded = Math.max(1, Math.round(min));
  compare('time', `${time}`, new Map([['its own duration', { agrees: rounded === time, text: `${rounded}` }]]));
}

/**
 * Maximum difference, in pixels, between a preview's or cover's side and the side that the item's aspect ratio gives.
 */
const ROUNDING = 1.01;

function judgeImages(stored: Item, views: Views, opinionsOf: OpinionsOf, compare: Compare): void {
  const isSeen = [...views.values()].some((view) => view.fingerprint);
  const sights = { preview: stored.preview, ...(stored.cover !== null && { cover: stored.cover }) };
  for (const [name, sight] of Object.entries(sights) as ['preview' | 'cover', Sight | string][]) {
    if (typeof sight === 'string') {
      if (isSeen)
        compare(
          name,
          sight,
          opinionsOf(({ fingerprint }) => (fingerprint ? { agrees: false, text: 'shows it' } : null)),
        );
      continue;
    }
    const leniency = leniencyOf(stored, views);
    const seen = ({ fingerprint }: View): Opinion | null =>
      fingerprint
        ? { agrees: looksLike(sight.fingerprint, fingerprint, leniency), text: summaryOf(fingerprint) }
        : null;
    compare(name, summaryOf(sight.fingerprint as Fingerprint), opinionsOf(seen));
    const height = (stored.height * sight.width) / stored.width;
    const width = (stored.width * sight.height) / stored.height;
    const agrees = Math.abs(height - sight.height) <= ROUNDING || Math.abs(width - sight.width) <= ROUNDING;
    compare(
      'shape',
      `${name} of ${sight.width} × ${sight.height}`,
      new Map([['the item', { agrees, text: `${stored.width} × ${stored.height}` }]]),
    );
  }
}

/** The shorter side, in pixels, below which chroma subsampling visibly changes an image. */
const NARROW = 32;

/**
 * Returns a factor for the limits. They are relaxed for narrow images, and for HDR images, whose brightness each
 * program maps to SDR with a different curve.
 */
function leniencyOf({ width, height }: Item, views: Views): number {
  if ([...views.values()].some(({ notes }) => notes?.includes('HDR'))) return 8;
  return Math.min(width, height) < NARROW ? 2.5 : 1;
}
