import { writeFile } from 'node:fs/promises';
import { documentPath, documentText } from './committed.ts';
import { createDocument } from './document.ts';

await writeFile(documentPath, documentText(createDocument()));
