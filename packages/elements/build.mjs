// Builds what is published: the element with all that it needs in modules for browsers, and the declarations of what a page sees
// of it, which name no package.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript-api';
import { build } from 'vite';

const root = dirname(fileURLToPath(import.meta.url));
const source = join(root, 'src');
const target = join(root, 'dist');

// Tests set another, for which React would be one to develop with.
process.env.NODE_ENV = 'production';
await build({ root, logLevel: 'warn' });

const { config } = ts.readConfigFile(join(root, '../../tsconfig.base.json'), ts.sys.readFile);
const { options } = ts.parseJsonConfigFileContent({ ...config, files: [] }, ts.sys, join(root, '../..'));
const entry = join(source, 'index.ts');
const program = ts.createProgram([entry, join(source, 'css.d.ts')], {
  ...options,
  noEmit: false,
  declaration: true,
  emitDeclarationOnly: true,
  rootDir: source,
  outDir: target,
});

const problems = [];
const waiting = [entry];
for (const path of waiting) {
  const file = program.getSourceFile(path);
  problems.push(...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file));
  const { diagnostics } = program.emit(file, write, undefined, true);
  problems.push(...diagnostics);
}
if (problems.length > 0) {
  const host = { getCurrentDirectory: () => root, getCanonicalFileName: (name) => name, getNewLine: () => '\n' };
  process.stderr.write(ts.formatDiagnostics(problems, host));
  process.exit(1);
}

/** Writes declarations, and has those written that they name. @throws Error where that is a package: nobody installs one */
function write(path, text) {
  const named = [...text.matchAll(/\b(?:from|import\() ?['"]([^'"]+)['"]/g)].map(([, name]) => name);
  for (const name of named) {
    if (!name.startsWith('.')) throw new Error(`${path} names ${name}.`);
    const next = join(dirname(path.replace(target, source)), name);
    if (!waiting.includes(next)) waiting.push(next);
  }
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text.replace(/(['"]\.{1,2}\/[^'"]+)\.tsx?(['"])/g, '$1.js$2'));
}
