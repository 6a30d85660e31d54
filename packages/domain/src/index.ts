export * from './backup/backup-archive.ts';
export * from './backup/backup-name.ts';
export * from './backup/contents.ts';
export type * from './backup/database-backups.ts';
export type * from './best-times/best-times-repository.ts';
export * from './best-times/date-range.ts';
export * from './best-times/heatmap.ts';
export * from './best-times/local-hours.ts';
export * from './best-times/quarters.ts';
export * from './best-times/time-zone.ts';
export * from './best-times/window.ts';
export type * from './clock.ts';
export type * from './covers/cover-maker.ts';
export * from './covers/cover-queue.ts';
export type * from './duplicates/duplicate-repository.ts';
export * from './duplicates/upload-terms.ts';
export * from './errors.ts';
export * from './fair-share/transfer-rate.ts';
export * from './fair-share/turns.ts';
export * from './folders/folder.ts';
export type * from './folders/folder-repository.ts';
export * from './folders/name.ts';
export * from './folders/rules.ts';
export * from './garbage/refuse-collection.ts';
export type * from './garbage/trash.ts';
export * from './ids.ts';
export * from './imports/import.ts';
export type * from './imports/import-queue.ts';
export * from './imports/lease.ts';
export * from './imports/processes.ts';
export * from './imports/remote-files.ts';
export type * from './library/library-repository.ts';
export * from './library/ownership.ts';
export * from './library/storage-marker.ts';
export type * from './media/details.ts';
export * from './media/item.ts';
export * from './media/limits.ts';
export type * from './media/media-inspector.ts';
export * from './media/media-repository.ts';
export * from './media/name.ts';
export * from './media/object-key.ts';
export * from './media/rules.ts';
export * from './media/tags.ts';
export * from './media/types.ts';
export * from './name.ts';
export * from './objects/free-space.ts';
export * from './objects/object-storage.ts';
export type * from './objects/temporary-links.ts';
export * from './pagination/page.ts';
export * from './posts/attachment.ts';
export * from './posts/page-texts.ts';
export * from './posts/post.ts';
export * from './posts/post-details.ts';
export type * from './posts/post-repository.ts';
export * from './posts/profile-repository.ts';
export type * from './presign/presign-repository.ts';
export type * from './presign/presign-storage.ts';
export * from './presign/presigned-upload.ts';
export * from './readiness/check.ts';
export * from './readiness/overrides.ts';
export {
  type Candidate,
  type Limits,
  type ReadinessProblem,
  type Shown,
  sentenceOf,
  shownLimitOf,
} from './readiness/problem.ts';
export {
  type Bound,
  type ItemFacts,
  isNumberRule,
  type Quantity,
  RULE_KINDS,
  type Rule,
  type RuleKind,
  type Severity,
  type Target,
} from './readiness/rule.ts';
export * from './readiness/targets.ts';
export * from './repeats/repeat.ts';
export type * from './repeats/repeat-repository.ts';
export * from './text.ts';
export * from './tokens/token.ts';
export type * from './tokens/token-repository.ts';
export type * from './tokens/token-signer.ts';
export type * from './verify/object-checks.ts';
export type * from './workspaces/workspace-repository.ts';
