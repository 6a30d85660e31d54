import { writeFile } from 'node:fs/promises';
import { createDocument, documentPath, documentText } from './document.ts';

await writeFile(documentPath, documentText(createDocument()));
