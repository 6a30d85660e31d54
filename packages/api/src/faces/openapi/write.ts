import { writeFile } from 'node:fs/promises';
import { createDocument, documentPath, documentText } from './document.ts';
import { referenceOf, referencePath } from './reference.ts';

const document = createDocument();
await writeFile(documentPath, documentText(document));
await writeFile(referencePath, referenceOf(document));
