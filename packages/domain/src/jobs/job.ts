import type { UploadTerms } from '../duplicates/upload-terms.ts';
import type { FitMode } from '../fit/canvas.ts';
import type { FitCrop } from '../fit/crop.ts';
import type { Uuid } from '../ids.ts';
import type { FocalPoint } from '../media/focus.ts';

/**
 * Work that continues after a response, or without a request. Each kind has rules ({@link JOB_RULES}) and one handler:
 * - `import`: a file from a URL
 * - `fit`: a version of a file for a target
 * - `cover`: the cover of a video for which no slot was free immediately
 * - `preview`: small versions of an image, ahead of the first request
 * - `delivery`: the deliveries that wait for a webhook
 * - `check`: whether each item has its object
 * - `removal`: the remaining contents of a deleted workspace
 */
export const JOB_KINDS = ['import', 'fit', 'cover', 'preview', 'delivery', 'check', 'removal'] as const;

export type JobKind = (typeof JOB_KINDS)[number];

/** Data that a job needs in addition to its subject. */
export interface JobPayloads {
  readonly import: ImportPayload;
  readonly fit: FitPayload;
  readonly cover: null;
  readonly preview: null;
  readonly delivery: null;
  readonly check: null;
  readonly removal: null;
}

interface FitPayload {
  readonly target: string;
  readonly how: FitMode;
  /** Absent for the whole frame. */
  readonly crop?: FitCrop;
  /** The point on which the crop is centred; absent for the middle. */
  readonly focus?: FocalPoint;
}

export interface ImportPayload {
  readonly url: string;
  readonly terms: UploadTerms;
  /** The request that started the import. */
  readonly requestId: string | null;
}

/** Identifies a job: at most one of a kind exists for a subject. */
export interface JobKey<Kind extends JobKind = JobKind> {
  readonly kind: Kind;
  /** An item (`import`, `fit`, `cover`, `preview`), a webhook, a workspace, or the library (`check`). */
  readonly subjectId: Uuid;
}

export interface NewJob<Kind extends JobKind = JobKind> extends JobKey<Kind> {
  /** null for jobs of the library. */
  readonly workspaceId: Uuid | null;
  readonly payload: JobPayloads[Kind];
}

export interface Job<Kind extends JobKind = JobKind> extends NewJob<Kind> {
  readonly addedAt: number;
  /** Number of attempts that failed for a reason outside this service. */
  readonly attempts: number;
  /** How often the job was started, including this time, but not counting the starts that ended in an orderly way. */
  readonly claims: number;
}

/** A job of any kind: the union of {@link Job} over all kinds. */
export type AnyJob = { readonly [Kind in JobKind]: Job<Kind> }[JobKind];
