import {
  type Actor,
  type AnnouncedType,
  beginPresigned,
  fullNameOf,
  isConvertedType,
  nameFromFileName,
  Refusal,
  selectedInvalid,
  type TemporaryMedia,
  typeInName,
  UPLOAD_ADDRESS_LIFETIME,
  type UploadAddress,
  type UploadTerms,
  type Uuid,
  type Workspace,
} from '@postshelf/domain';
import { folderErrorsOfFiles } from '../folders/check-references.ts';
import type { Completing } from '../idempotency/answer-once.ts';
import type { Ports } from '../ports.ts';
import { advising } from '../trash/trash.ts';
import { namingFiles } from '../uploads/upload-batch.ts';

export interface AnnouncedFile {
  readonly name: string;
  readonly size: number;
  readonly type: AnnouncedType;
  readonly label: string | null;
  readonly folderId: Uuid | null;
  readonly terms: UploadTerms;
  readonly createdBy?: Actor | null;
}

export interface IssuedUpload {
  readonly item: TemporaryMedia;
  readonly address: UploadAddress;
  readonly expiresIn: number;
}

/**
 * Creates a `temporary` item and an upload URL for each file. If one file is refused, nothing is created.
 *
 * @throws Refusal `invalid` on `files.N.mime` for a type that must be converted, while conversion is off; on
 *   `files.N.folder_id` for a folder that isn't in the workspace (any more); on `files.N` for the files that exceed the
 *   quota
 */
export async function issueUploads(
  ports: Pick<Ports, 'workspaces' | 'folders' | 'presign' | 'presignStorage' | 'converter' | 'clock' | 'ids'>,
  workspace: Workspace,
  files: readonly AnnouncedFile[],
  complete?: Completing<readonly IssuedUpload[]>,
): Promise<readonly IssuedUpload[]> {
  const requireFolders = async (): Promise<void> => {
    const ids = files.map(({ folderId }) => folderId);
    const errors = await folderErrorsOfFiles(ports, workspace.id, ids);
    if (Object.keys(errors).length > 0) throw new Refusal({ code: 'invalid', errors });
  };
  requireTaken(ports, files);
  await requireFolders();
  const now = ports.clock.now();
  const expiresAt = (Math.floor(now / 1000) + UPLOAD_ADDRESS_LIFETIME) * 1000;
  const uploads = files.map((file) => {
    const { size, type, label, folderId, terms, createdBy } = file;
    const id = ports.ids.next();
    const name = nameFromFileName(file.name, typeInName(type));
    const fullName = fullNameOf(workspace.id, id, name);
    const details = { id, workspaceId: workspace.id, folderId, label, name, fullName, createdBy };
    return {
      item: beginPresigned(details, now),
      upload: { kind: 'presigned' as const, id, size, type, expiresAt, terms },
    };
  });
  const addressed = Promise.all(uploads.map(({ upload }) => ports.presignStorage.address(upload)));
  const addresses = await advising(ports, workspace.id, addressed);
  const issued = uploads.flatMap(({ item }, index) => {
    const address = addresses[index];
    return address ? [{ item, address, expiresIn: UPLOAD_ADDRESS_LIFETIME }] : [];
  });
  const kept = await ports.presign.add(uploads, complete?.(issued)).catch((cause: unknown) => {
    throw namingFiles(
      cause,
      files.map(({ size }) => size),
    );
  });
  if (kept === 'folder_missing') {
    // This refuses the request: folder ids are never reused, so the missing folder can't exist now.
    await requireFolders();
    throw new Error('A folder was missing when the items were inserted, but exists now.');
  }
  return issued;
}

function requireTaken({ converter }: Pick<Ports, 'converter'>, files: readonly AnnouncedFile[]): void {
  if (converter !== null) return;
  const errors = files.flatMap(({ type }, index) => {
    const field = `files.${index}.mime`;
    return isConvertedType(type) ? [[field, [selectedInvalid(field)]] as const] : [];
  });
  if (errors.length > 0) throw new Refusal({ code: 'invalid', errors: Object.fromEntries(errors) });
}
