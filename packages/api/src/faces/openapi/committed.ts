import { resolve } from 'node:path';
import type { Document } from './document-shape.ts';

/** The document as it is kept in the repository, from where the server takes it. */
export const documentPath = resolve(import.meta.dir, '../../../../../docs/openapi.json');

export const documentText = (document: Document): string => `${JSON.stringify(document, null, 2)}\n`;
