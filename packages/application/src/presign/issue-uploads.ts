import {
  beginPresigned,
  fullNameOf,
  type MediaType,
  nameFromFileName,
  type TemporaryMedia,
  UPLOAD_ADDRESS_LIFE,
  type UploadAddress,
  type Workspace,
} from '@postshelf/domain';
import type { Ports } from '../ports.ts';

/** A file that a client means to send straight to the storage. */
export interface AnnouncedFile {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  readonly type: MediaType;
}

export interface IssuedUpload {
  readonly item: TemporaryMedia;
  readonly address: UploadAddress;
  /** Seconds. */
  readonly expiresIn: number;
}

/** Makes a `temporary` item and an upload address for each file; all of them or none. */
export async function issueUploads(
  ports: Pick<Ports, 'presigned' | 'uploads' | 'clock' | 'ids'>,
  workspace: Workspace,
  files: readonly AnnouncedFile[],
): Promise<readonly IssuedUpload[]> {
  const now = ports.clock.now();
  const expiresAt = (Math.floor(now / 1000) + UPLOAD_ADDRESS_LIFE) * 1000;
  const uploads = files.map((file) => {
    const { size, type } = file;
    const id = ports.ids.next();
    const name = nameFromFileName(file.name, type);
    const fullName = fullNameOf(workspace.id, id, name);
    const details = { id, workspaceId: workspace.id, folderId: null, label: null, name, fullName };
    return { item: beginPresigned(details, now), ticket: { id, size, type, expiresAt } };
  });
  const addresses = await Promise.all(uploads.map(({ ticket }) => ports.uploads.address(ticket)));
  await ports.presigned.add(uploads);
  return uploads.flatMap(({ item }, index) => {
    const address = addresses[index];
    return address ? [{ item, address, expiresIn: UPLOAD_ADDRESS_LIFE }] : [];
  });
}
