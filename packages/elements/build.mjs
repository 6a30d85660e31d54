// Builds the published package: the element, bundled with its dependencies into modules for browsers, and declarations
// of its public types. Only those of `react`, for JSX, import a package.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript-api';
import { build } from 'vite';

const root = dirname(fileURLToPath(import.meta.url));
const source = join(root, 'src');
const target = join(root, 'dist');

// Test runs set another value, with which the bundle would contain React's development build.
process.env.NODE_ENV = 'production';
await build({ root, logLevel: 'warn' });

const { config } = ts.readConfigFile(join(root, '../../tsconfig.base.json'), ts.sys.readFile);
const { options } = ts.parseJsonConfigFileContent({ ...config, files: [] }, ts.sys, join(root, '../..'));
const entries = [join(source, 'index.ts'), join(source, 'react.ts')];
const program = ts.createProgram([...entries, join(source, 'css.d.ts')], {
  ...options,
  noEmit: false,
  declaration: true,
  emitDeclarationOnly: true,
  rootDir: source,
  outDir: target,
});

const problems = [];
const waiting = [...entries];
for (const path of waiting) {
  const file = program.getSourceFile(path);
  problems.push(...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file));
  const { diagnostics } = program.emit(file, write, undefined, true);
  problems.push(...diagnostics);
}
// It has the element's types for JSX, and is otherwise the same.
writeFileSync(join(target, 'react.js'), "export * from './index.js';\n");
if (problems.length > 0) {
  const host = { getCurrentDirectory: () => root, getCanonicalFileName: (name) => name, getNewLine: () => '\n' };
  process.stderr.write(ts.formatDiagnostics(problems, host));
  process.exit(1);
}

/**
 * Writes a declaration file, and queues those that it imports.
 *
 * @throws Error if it imports a package, as users install none
 */
function write(path, text) {
  const named = [...text.matchAll(/\b(?:from|import\() ?['"]([^'"]+)['"]/g)].map(([, name]) => name);
  for (const name of named) {
    if (name === 'react' && path.endsWith('/react.d.ts')) continue;
    if (!name.startsWith('.')) throw new Error(`${path} imports the package ${name}.`);
    const next = join(dirname(path.replace(target, source)), name);
    if (!waiting.includes(next)) waiting.push(next);
  }
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text.replace(/(['"]\.{1,2}\/[^'"]+)\.tsx?(['"])/g, '$1.js$2'));
}
