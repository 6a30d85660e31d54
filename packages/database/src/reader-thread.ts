import { parentPort, workerData } from 'node:worker_threads';
import { Refusal } from '@postshelf/domain';
import { listAudit, listAuditBehind } from './audit/audit-repository.ts';
import { estimateFromTexts, estimateHours } from './best-times/estimate-hours.ts';
import { publishedPosts } from './best-times/published-posts.ts';
import { scoreHours } from './best-times/score-hours.ts';
import { listFolders } from './folders/folder-list.ts';
import { jobFigures, listJobs } from './jobs/job-queue.ts';
import { listMedia } from './media/media-list.ts';
import { countPostsOf } from './media/posts-of.ts';
import { listTags } from './media/tags.ts';
import { listPosts } from './posts/post-list.ts';
import { listProfiles } from './posts/profile-repository.ts';
import { openReaderStore, type ReaderStore } from './sqlite/readers/reader-store.ts';
import type { ReaderData, ReaderReply, ReaderRequest, ReaderWork } from './store/readers.ts';
import type { Computation, Scan } from './store/store.ts';
import { listTrash } from './trash/trash-repository.ts';
import { listDeliveries } from './webhooks/delivery-list.ts';
import { countDeliveries } from './webhooks/delivery-repository.ts';

/** All scans by name. They are found by their names, because functions can't be sent to a thread. */
const SCANS = new Map(
  [
    listMedia,
    countPostsOf,
    listTags,
    listPosts,
    listProfiles,
    listFolders,
    scoreHours,
    estimateHours,
    publishedPosts,
    countDeliveries,
    jobFigures,
    listJobs,
    listDeliveries,
    listAudit,
    listAuditBehind,
    listTrash,
  ].map((scan) => [scan.name, scan as Scan<readonly unknown[], unknown>]),
);

const COMPUTATIONS = new Map(
  [estimateFromTexts].map((computation) => [computation.name, computation as Computation<readonly unknown[], unknown>]),
);

/** A reader thread (`store/readers.ts`) answers one request at a time, with its own connection. */
const { path, busyTimeoutMs, unwanted } = workerData as ReaderData;
const unwantedNumber = new Int32Array(unwanted);
let current = 0;
let opening: Promise<ReaderStore> | null = null;

/** Opens the store; if that fails, the next scan tries again. */
function open(): Promise<ReaderStore> {
  opening ??= openReaderStore(path, busyTimeoutMs, () => Atomics.load(unwantedNumber, 0) !== current).catch(
    (error: unknown) => {
      opening = null;
      throw error;
    },
  );
  return opening;
}

function compute(name: string, parameters: readonly unknown[]): unknown {
  const computation = COMPUTATIONS.get(name);
  if (!computation) throw new Error(`A reader thread has no computation ${name}`);
  return computation.run(...parameters);
}

function run(store: ReaderStore, work: Exclude<ReaderWork, { readonly kind: 'compute' }>): Promise<unknown> | unknown {
  if (work.kind === 'checkpoint') return store.checkpoint(work.how);
  if (work.kind === 'fillSearchIndex') return store.fillSearchIndex();
  const scan = SCANS.get(work.name);
  if (!scan) throw new Error(`A reader thread has no scan ${work.name}`);
  return scan.run(store, ...work.parameters);
}

async function answer(request: Exclude<ReaderRequest, 'close'>): Promise<ReaderReply> {
  try {
    current = request.number;
    const { work } = request;
    if (work.kind === 'compute') return { result: compute(work.name, work.parameters) };
    return { result: await run(await open(), work) };
  } catch (error) {
    // An error loses its class when it is copied between threads.
    return error instanceof Refusal ? { problem: error.problem, cause: error.cause } : { error };
  }
}

parentPort?.on('message', async (request: ReaderRequest) => {
  if (request !== 'close') return parentPort?.postMessage(await answer(request));
  const store = await opening;
  await store?.close();
  parentPort?.close();
});
