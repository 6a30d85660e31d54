import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import {
  type Entry,
  forEachConcurrently,
  fromSource,
  jsonCommand,
  makeWorkspace,
  type Running,
  startProcess,
  until,
} from '@postshelf/harness';
import { freePort } from '@postshelf/testing/servers/free-port';
import sharp from 'sharp';
import { type Fingerprint, fingerprintOf } from './fingerprint.ts';
import type { Specimen } from './specimen.ts';

/**
 * Maximum number of files in a request (docs/api.md), and the maximum total size in bytes if it contains several files.
 */
const BATCH = 10;
const BATCH_BYTES = 150 * 1024 * 1024;

/** Number of files that are queried concurrently. */
const CONCURRENCY = 6;

/** The service's result for a file. */
export type Stored = { readonly refused: string } | Item;

export interface Item {
  readonly type: string;
  /** Whether the service converted the file, because few programs show its type. */
  readonly isConverted: boolean;
  readonly width: number;
  readonly height: number;
  /** Returns the stored file. */
  readonly original: () => Promise<Uint8Array>;
  /** The duration in whole seconds, and the exact one if the service reports it; null for an image. */
  readonly time: number | null;
  readonly seconds: number | null;
  /** The smallest preview. A string explains why there is none. */
  readonly preview: Sight | string;
  /** null for an image. */
  readonly cover: Sight | string | null;
}

/** An image that the service made. */
export interface Sight {
  readonly width: number;
  readonly height: number;
  readonly fingerprint: Fingerprint;
}

interface Answer {
  readonly data: readonly { readonly id: string }[];
  readonly errors?: Readonly<Record<string, readonly string[]>>;
}

interface Details {
  readonly data: {
    readonly link: string;
    readonly width: number;
    readonly height: number;
    readonly time: number | null;
    readonly thumbnail: { readonly link: string } | null;
    readonly details: {
      readonly mime: string;
      readonly converted_from: string | null;
      readonly previews: readonly { readonly width: number; readonly link: string }[];
      readonly video: { readonly duration_ms: number | null } | null;
    };
  };
}

/** A service of this checkout with a new library, which is removed when the service ends. */
export class FormatsService {
  readonly #root: string;
  readonly #headers: Readonly<Record<string, string>>;

  private constructor(
    private readonly folder: string,
    private readonly running: Running,
    private readonly entry: Entry,
    port: number,
  ) {
    this.#root = `http://127.0.0.1:${port}/v1`;
    this.#headers = { Authorization: `Bearer ${entry.token}` };
  }

  static async start(): Promise<FormatsService> {
    const folder = await mkdtemp(join(tmpdir(), 'postshelf-formats-'));
    const program = fromSource();
    const settings = { DATA_DIR: folder, LOG_LEVEL: 'warn', UPLOAD_IDLE_TIMEOUT_MS: '60000' };
    await jsonCommand(['migrate'], settings, program);
    const entry = await makeWorkspace(settings, { name: 'Formats', by: program });
    const port = await freePort();
    const running = await startProcess([...program.command, 'serve'], {
      env: { ...program.environment, ...settings, PORT: String(port) },
      output: 'errors-only',
      probe: `http://127.0.0.1:${port}/health`,
    });
    return new FormatsService(folder, running, entry, port);
  }

  /** Stores the files, and returns the result for each, in order. */
  async store(specimens: readonly Specimen[], progress: (done: number) => void): Promise<readonly Stored[]> {
    const results = new Map<Specimen, Stored>();
    const ids = new Map<Specimen, string>();
    for (const batch of batchesOf(specimens)) {
      for (const [specimen, outcome] of await this.#upload(batch)) {
        if (outcome.id === undefined) results.set(specimen, { refused: outcome.refused });
        else ids.set(specimen, outcome.id);
      }
      progress(results.size + ids.size);
    }
    await forEachConcurrently(ids, CONCURRENCY, async ([specimen, id]) => results.set(specimen, await this.#read(id)));
    return specimens.map((specimen) => results.get(specimen) ?? { refused: 'The service said nothing of it.' });
  }

  async stop(): Promise<void> {
    await this.running.end();
    await rm(this.folder, { recursive: true, force: true });
  }

  /**
   * Uploads files. If the service refuses one file, it refuses the whole request, so the other files are sent again.
   */
  async #upload(
    batch: readonly Specimen[],
  ): Promise<Map<Specimen, { id: string } | { id?: undefined; refused: string }>> {
    const outcomes = new Map<Specimen, { id: string } | { id?: undefined; refused: string }>();
    for (let left = batch; left.length > 0; left = left.filter((specimen) => !outcomes.has(specimen))) {
      const body = new FormData();
      for (const specimen of left) body.append('files[]', Bun.file(specimen.path), basename(specimen.name));
      const response = await fetch(`${this.#root}/workspaces/${this.entry.workspace}/media_contents`, {
        method: 'POST',
        headers: this.#headers,
        body,
      });
      const text = await response.text();
      const { data, errors = {} } = parse(text);
      if (response.status === 201) {
        for (const [index, specimen] of left.entries()) outcomes.set(specimen, { id: data[index]?.id ?? '' });
      } else {
        const refused = left.filter((specimen, index) => {
          const reason = errors[`files.${index}`];
          if (reason) outcomes.set(specimen, { refused: reason.join(' ').replace(`files.${index}`, 'file') });
          return reason !== undefined;
        });
        // If the error names no file, for example an internal error, each file is sent again in its own request, to
        // find out which file causes the error.
        if (refused.length === 0 && left.length > 1) {
          for (const specimen of left)
            for (const [each, outcome] of await this.#upload([specimen])) outcomes.set(each, outcome);
        } else if (refused.length === 0 && left[0])
          outcomes.set(left[0], { refused: `${response.status} ${text.slice(0, 300)}` });
      }
    }
    return outcomes;
  }

  async #read(id: string): Promise<Item> {
    const read = async (): Promise<Details['data']> =>
      ((await this.#get(`${this.#root}/media_contents/${id}?include=details`)) as Details).data;
    let item = await read();
    const isVideo = item.details.mime.startsWith('video/');
    if (isVideo && item.thumbnail === null) {
      // On a busy machine the cover may be made only after the upload has been answered.
      await until(
        'a cover',
        async () => {
          item = await read();
          return item.thumbnail !== null;
        },
        LATE_COVER,
      ).catch(() => undefined);
    }
    const { details, link, thumbnail, width, height, time } = item;
    const smallest = [...details.previews].sort((a, b) => a.width - b.width)[0];
    return {
      type: details.mime,
      isConverted: details.converted_from !== null,
      width,
      height,
      original: async () => (await fetch(link)).bytes(),
      time,
      seconds: details.video?.duration_ms == null ? null : details.video.duration_ms / 1000,
      preview: smallest ? await sight(smallest.link) : 'none is listed',
      cover: isVideo ? (thumbnail ? await sight(thumbnail.link) : 'none was made') : null,
    };
  }

  async #get(url: string): Promise<unknown> {
    const response = await fetch(url, { headers: this.#headers });
    if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
    return response.json();
  }
}

/** Milliseconds to wait for a video's cover. */
const LATE_COVER = 3000;

function parse(text: string): Answer {
  try {
    const answer: Partial<Answer> = JSON.parse(text);
    return { data: answer.data ?? [], ...(answer.errors && { errors: answer.errors }) };
  } catch {
    return { data: [] };
  }
}

function* batchesOf(specimens: readonly Specimen[]): Generator<readonly Specimen[]> {
  let [batch, bytes]: [Specimen[], number] = [[], 0];
  for (const specimen of specimens) {
    if (batch.length === BATCH || (batch.length > 0 && bytes + specimen.size > BATCH_BYTES)) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(specimen);
    bytes += specimen.size;
  }
  if (batch.length > 0) yield batch;
}

async function sight(link: string): Promise<Sight | string> {
  // If its queue is full, the service states when to retry.
  for (let tries = 0; tries < 30; tries += 1) {
    const response = await fetch(link);
    if (response.status === 503) {
      await response.arrayBuffer();
      await Bun.sleep(1000 * Number(response.headers.get('retry-after') ?? 1));
      continue;
    }
    if (!response.ok) return `its link answered ${response.status}`;
    const { data, info } = await sharp(await response.bytes())
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    return { width: info.width, height: info.height, fingerprint: fingerprintOf(data, info.width, info.height, 4) };
  }
  return 'the queue stayed full';
}
