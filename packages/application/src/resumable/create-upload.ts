import {
  type Actor,
  beginPresigned,
  fullNameOf,
  invalid,
  type ResumableUpload,
  resumableName,
  StorageFull,
  type UploadTerms,
  type Uuid,
  type Workspace,
} from '@postshelf/domain';
import { noSuchFolder } from '../folders/check-references.ts';
import type { Ports } from '../ports.ts';
import { advising } from '../trash/trash.ts';

export interface AnnouncedResumable {
  readonly fileName: string;
  readonly size: number;
  readonly label: string | null;
  readonly folderId: Uuid | null;
  readonly terms: UploadTerms;
  readonly createdBy: Actor | null;
  /** Milliseconds since the epoch. Default: the current time. */
  readonly createdAt?: number | undefined;
  readonly metadata: string;
}

/**
 * Creates a `temporary` item whose file arrives in any number of requests (tus 1.0, "Creation").
 *
 * @throws Refusal `invalid` on `folder_id` for a folder that isn't in the workspace (any more), on `file` if it exceeds
 *   the quota; `storage_low`
 */
export async function createResumable(
  ports: Pick<Ports, 'workspaces' | 'resumable' | 'resumableStorage' | 'clock' | 'ids'>,
  workspace: Workspace,
  { fileName, size, terms, metadata, ...details }: AnnouncedResumable,
): Promise<ResumableUpload> {
  await advising(ports, workspace.id, ports.resumableStorage.requireSpace(size));
  const [id, now] = [ports.ids.next(), ports.clock.now()];
  const name = resumableName(fileName);
  const fullName = fullNameOf(workspace.id, id, name);
  const item = beginPresigned({ id, workspaceId: workspace.id, name, fullName, ...details }, now);
  const kept = await ports.resumable.add(item, { size, terms, metadata }, now).catch((cause: unknown) => {
    throw cause instanceof StorageFull ? invalid('file', cause.sentence) : cause;
  });
  if (kept === 'folder_missing') throw noSuchFolder('folder_id');
  return { id, workspaceId: workspace.id, size, received: 0, metadata, lastByteAt: now };
}
