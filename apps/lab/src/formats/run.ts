import { forEachConcurrently, Random } from '@postshelf/harness';
import { ARBITER, type Disagreement, judge } from './judge.ts';
import { openChromium } from './oracles/chromium.ts';
import { openExiftool } from './oracles/exiftool.ts';
import { openFfmpeg } from './oracles/ffmpeg.ts';
import { openHeif } from './oracles/heif.ts';
import { openImageMagick } from './oracles/imagemagick.ts';
import { openLibvips } from './oracles/libvips.ts';
import { kindOf, type Loss, type Oracle, type View, type Views } from './oracles/view.ts';
import { FormatsService, type Stored } from './service.ts';
import type { Specimen } from './specimen.ts';

/** Debian's packages of the oracles that aren't installed with this repository. */
export const PACKAGES = {
  ImageMagick: 'imagemagick',
  ffprobe: 'ffmpeg',
  Chromium: 'chromium-headless-shell',
  'libheif and libavif': 'libheif-examples libavif-bin ffmpeg',
  ExifTool: 'libimage-exiftool-perl',
} as const;

export interface Outcome {
  readonly files: number;
  readonly accepted: number;
  /** The refused files, by the reason for the refusal. */
  readonly refused: ReadonlyMap<string, readonly Specimen[]>;
  readonly disagreements: readonly Disagreement[];
  /** Number of files that each oracle judged. */
  readonly asked: Readonly<Record<string, number>>;
  /** The loss of each file whose pixels were compared. */
  readonly losses: ReadonlyMap<Specimen, Loss>;
  /** Oracles that aren't installed on this machine. */
  readonly missing: readonly (keyof typeof PACKAGES)[];
}

interface RunOptions {
  readonly seed: number;
  /**
   * Chromium shows all images, all videos about which the service and the oracles disagree, and this many of the other
   * videos.
   */
  readonly videos: number;
  /** Default true. */
  readonly hasBrowser?: boolean;
  readonly progress: (line: string) => void;
}

/** Number of files that oracles judge concurrently. */
const CONCURRENCY = 3;

/** Stores the files in a new service, and compares the service with all oracles on this machine. */
export async function compareAll(
  specimens: readonly Specimen[],
  { seed, videos, hasBrowser = true, progress }: RunOptions,
): Promise<Outcome> {
  const service = await FormatsService.start();
  try {
    const stored = await service.store(specimens, (done) => {
      if (done % 200 < 10) progress(`${done} of ${specimens.length} files sent`);
    });
    progress('asking the others');
    return await compareWith(specimens, stored, { seed, videos, hasBrowser, progress });
  } finally {
    await service.stop();
  }
}

async function compareWith(
  specimens: readonly Specimen[],
  stored: readonly Stored[],
  { seed, videos, hasBrowser, progress }: Required<RunOptions>,
): Promise<Outcome> {
  const chromium = hasBrowser ? await openChromium() : null;
  const found = {
    libvips: openLibvips(),
    ImageMagick: openImageMagick(),
    ffprobe: openFfmpeg(),
    'libheif and libavif': openHeif(),
    ExifTool: openExiftool(),
  };
  const oracles = Object.values(found).filter((oracle): oracle is Oracle => oracle !== null);
  const asked: Record<string, number> = {};
  const views = new Map<Specimen, Map<string, View>>(specimens.map((specimen) => [specimen, new Map()]));
  const results = new Map(specimens.map((specimen, index) => [specimen, stored[index]]));
  const ask = async (oracle: Oracle, specimen: Specimen): Promise<void> => {
    const result = results.get(specimen);
    const view = await oracle.inspect(specimen, result && 'original' in result ? result.original : undefined);
    if (view === null) return;
    asked[oracle.name] = (asked[oracle.name] ?? 0) + 1;
    views.get(specimen)?.set(oracle.name, view);
  };
  try {
    await forEachConcurrently(specimens, CONCURRENCY, async (specimen) => {
      for (const oracle of oracles) await ask(oracle, specimen);
    });
    const judgeAll = () =>
      specimens.flatMap((specimen, index) => {
        const one = stored[index];
        return one ? judge(specimen, one, views.get(specimen) ?? NO_VIEWS) : [];
      });
    if (chromium) {
      progress('asking Chromium');
      const disputed = new Set(judgeAll().map(({ specimen }) => specimen));
      for (const specimen of await chooseForBrowser(specimens, disputed, videos, new Random(seed)))
        await ask(chromium, specimen);
    }
    return {
      files: specimens.length,
      accepted: stored.filter((one) => !('refused' in one)).length,
      refused: refusedByReason(specimens, stored),
      // If at least one oracle agrees with the service, a disagreement counts only if the arbiter shows the file.
      disagreements: judgeAll().filter(({ isSplit, specimen }) => !isSplit || views.get(specimen)?.get(ARBITER)?.shows),
      asked,
      losses: lossesIn(views),
      missing: [
        ...(['ImageMagick', 'ffprobe', 'libheif and libavif', 'ExifTool'] as const).filter((name) => !found[name]),
        ...(hasBrowser && !chromium ? ([ARBITER] as const) : []),
      ],
    };
  } finally {
    for (const oracle of [...oracles, ...(chromium ? [chromium] : [])]) await oracle.close();
  }
}

const NO_VIEWS: Views = new Map();

function refusedByReason(specimens: readonly Specimen[], stored: readonly Stored[]): Map<string, Specimen[]> {
  const refused = new Map<string, Specimen[]>();
  for (const [index, one] of stored.entries()) {
    const specimen = specimens[index];
    if ('refused' in one && specimen) refused.set(one.refused, [...(refused.get(one.refused) ?? []), specimen]);
  }
  return refused;
}

/** Returns the loss of each file that an oracle compared with its original. */
const lossesIn = (views: ReadonlyMap<Specimen, Views>): Map<Specimen, Loss> =>
  new Map(
    [...views].flatMap(([specimen, ofOracles]) => {
      const loss = [...ofOracles.values()].find((view) => view.loss)?.loss;
      return loss ? [[specimen, loss] as const] : [];
    }),
  );

/** Returns the files to show in the browser: all images, all disputed files, and this many of the other videos. */
async function chooseForBrowser(
  specimens: readonly Specimen[],
  disputed: ReadonlySet<Specimen>,
  videos: number,
  random: Random,
): Promise<readonly Specimen[]> {
  const kinds = await Promise.all(specimens.map(kindOf));
  const others = specimens.filter((specimen, index) => kinds[index] === 'movie' && !disputed.has(specimen));
  const sample = new Set<Specimen>();
  while (sample.size < Math.min(videos, others.length)) sample.add(random.pick(others));
  return specimens.filter(
    (specimen, index) => kinds[index] !== 'movie' || disputed.has(specimen) || sample.has(specimen),
  );
}
