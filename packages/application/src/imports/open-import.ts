import {
  type AnnouncedType,
  type Defect,
  defectCode,
  IMPORT_TOO_LARGE,
  importDefectMessage,
  LimitExceeded,
  MAX_IMPORT_BYTES,
  type UploadTerms,
  type Workspace,
} from '@postshelf/domain';
import type { Ports } from '../ports.ts';
import { type InspectedFile, type InspectPorts, inspect, isInspected } from '../uploads/inspect.ts';
import { isTaken, receive, recognise } from '../uploads/receive.ts';

/** Thrown for a file that isn't accepted; retrying doesn't help. */
export class ImportRejected extends Error {
  override readonly name = 'ImportRejected';

  /** The reason as a word for logs. */
  readonly reason: string;

  constructor(readonly defect: Defect | 'too_large') {
    super(defect === 'too_large' ? IMPORT_TOO_LARGE : importDefectMessage(defect));
    this.reason = defect === 'too_large' ? defect : defectCode(defect);
  }
}

export interface OpenedImport {
  readonly type: AnnouncedType;
  readonly announcedSize: number | null;
  /**
   * Receives and inspects the whole file. May only be called once.
   *
   * @throws RemoteError, ImportRejected; whatever the storage throws
   */
  download(onBytes?: (total: number) => void): Promise<InspectedFile>;
  /** Closes the connection; a `download` in progress fails. */
  close(): void;
}

export type OpenPorts = Pick<Ports, 'remoteFiles'> & InspectPorts;

/**
 * Requests the file at a URL and inspects its first bytes.
 *
 * @throws RemoteError; ImportRejected for a file of another type, or with a declared size above 2 GB
 */
export async function openImport(
  ports: OpenPorts,
  workspace: Pick<Workspace, 'id' | 'stripLocation'>,
  { url, terms }: { readonly url: string; readonly terms: UploadTerms },
  options: { readonly signal: AbortSignal },
): Promise<OpenedImport> {
  const file = await ports.remoteFiles.open(url, options);
  try {
    const { announcedSize } = file;
    if (announcedSize !== null && announcedSize > MAX_IMPORT_BYTES) throw new ImportRejected('too_large');
    const { type, whole } = await recognise(ports, file.body);
    if (!isTaken(type)) throw new ImportRejected(type === 'empty' ? 'wrong_type' : type);
    return {
      type,
      announcedSize,
      async download(onBytes) {
        try {
          const body = onBytes ? countBytes(whole, onBytes) : whole;
          const received = await receive(ports, body, { limit: MAX_IMPORT_BYTES, type });
          const inspected = await inspect(ports, workspace, received, { terms });
          if (!isInspected(inspected)) throw new ImportRejected(inspected);
          return inspected;
        } catch (cause) {
          throw cause instanceof LimitExceeded ? new ImportRejected('too_large') : cause;
        } finally {
          // The connection may still be open, because the storage may have refused the body without reading it.
          file.close();
        }
      },
      close: () => file.close(),
    };
  } catch (cause) {
    file.close();
    throw cause;
  }
}

async function* countBytes(
  body: AsyncIterable<Uint8Array>,
  onBytes: (total: number) => void,
): AsyncGenerator<Uint8Array> {
  let total = 0;
  for await (const chunk of body) {
    total += chunk.length;
    onBytes(total);
    yield chunk;
  }
}
