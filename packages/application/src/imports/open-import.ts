import {
  type Defect,
  defectCode,
  IMPORT_TOO_LARGE,
  importDefectMessage,
  LimitExceeded,
  MAX_IMPORT_BYTES,
  type MediaType,
  type UploadTerms,
  type Workspace,
} from '@postshelf/domain';
import type { Ports } from '../ports.ts';
import { type InspectPorts, isReceived, type ReceivedFile } from '../uploads/inspect.ts';
import { readAhead } from '../uploads/read-ahead.ts';
import { receive } from '../uploads/receive.ts';

/** Retrying won't change that. */
export class ImportRejected extends Error {
  override readonly name = 'ImportRejected';

  /** A word for logs. */
  readonly reason: string;

  constructor(readonly defect: Defect | 'too_large') {
    super(defect === 'too_large' ? IMPORT_TOO_LARGE : importDefectMessage(defect));
    this.reason = defect === 'too_large' ? defect : defectCode(defect);
  }
}

export interface OpenedImport {
  readonly type: MediaType;
  readonly announcedSize: number | null;
  /**
   * Receives and inspects the whole file; to be called once.
   *
   * @throws RemoteError, ImportRejected; what the storage throws
   */
  receive(onBytes?: (total: number) => void): Promise<ReceivedFile>;
  /** Closes the connection; a `receive` in progress fails. */
  close(): void;
}

export type OpenPorts = Pick<Ports, 'remoteFiles'> & InspectPorts;

/**
 * Requests the file at a URL and inspects its first bytes.
 *
 * @throws RemoteError; ImportRejected for a file announced above 2 GB or of another type
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
    const { head, whole } = await readAhead(file.body, ports.inspector.headLength);
    const type = await ports.inspector.recognise(head);
    if (typeof type !== 'string') throw new ImportRejected(type ?? 'wrong_type');
    return {
      type,
      announcedSize,
      async receive(onBytes) {
        try {
          const body = onBytes ? counted(whole, onBytes) : whole;
          const received = await receive(ports, workspace, body, { limit: MAX_IMPORT_BYTES, terms });
          if (!isReceived(received)) throw new ImportRejected(received);
          return received;
        } catch (cause) {
          throw cause instanceof LimitExceeded ? new ImportRejected('too_large') : cause;
        } finally {
          // If the storage refused the body unread.
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

async function* counted(body: AsyncIterable<Uint8Array>, onBytes: (total: number) => void): AsyncGenerator<Uint8Array> {
  let total = 0;
  for await (const chunk of body) {
    total += chunk.length;
    onBytes(total);
    yield chunk;
  }
}
