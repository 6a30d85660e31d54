import { type PresignReceiver, parseUuid, type Uuid } from '@postshelf/domain';

export interface ServedUploads<T> {
  readonly uploads: T;
  close(): Promise<void>;
}

/**
 * Listens on the loopback interface and passes requests for upload addresses to the storage of uploads, as the service
 * does.
 *
 * @param open creates the storage of uploads; `urlOf` returns the address of an upload on this server
 */
export async function serveUploads<T extends PresignReceiver>(
  open: (urlOf: (id: Uuid) => string) => Promise<T>,
): Promise<ServedUploads<T>> {
  let opened: T | undefined;
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    development: false,
    fetch: async (request) => new Response(null, { status: opened ? await answer(opened, request) : 503 }),
  });
  opened = await open((id) => new URL(`/uploads/${id}`, server.url).href);
  return { uploads: opened, close: () => server.stop(true) };
}

async function answer(uploads: PresignReceiver, request: Request): Promise<number> {
  if (request.method !== 'PUT') return 405;
  const { pathname, searchParams } = new URL(request.url);
  const id = parseUuid(pathname.slice('/uploads/'.length));
  const presigned = id && uploads.verify(id, Object.fromEntries(searchParams));
  if (!presigned || request.headers.get('content-type') !== presigned.type) return 403;
  // A chunked body has no declared length.
  const length = request.headers.get('content-length');
  if (length === null) return 411;
  if (length !== String(presigned.size) || !request.body) return 403;
  try {
    return (await uploads.receive(presigned, request.body)) === 'kept' ? 200 : 403;
  } catch (error) {
    // The client closed the connection early. Anything else is a fault of the code under test.
    if (error instanceof Error && error.name === 'AbortError') return 400;
    throw error;
  }
}
