import { importPostsDocument } from './posts/import-document.ts';
import { uploadDocument, uploadFilesDocument } from './uploads/document.ts';
import type { PlainRoute } from './plain-route.ts';

/** Every route below `/v1` that is no procedure. */
export const plainRoutes: readonly PlainRoute[] = [uploadDocument, uploadFilesDocument, importPostsDocument];
