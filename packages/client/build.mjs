// Builds the published package: a JavaScript module and a declaration file for each module of `src`. The declarations
// spell out the operation types inferred from the router, so that users don't need the service's own packages.
// `src/check` and `src/events/parse.ts` become one module each, bundled with their dependencies: `checkFile` loads the first on
// its first call.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript-api';

const root = dirname(fileURLToPath(import.meta.url));
const source = join(root, 'src');
const target = join(root, 'dist');

/** Types that need no import. */
const GLOBALS = new Set(['Array', 'Partial', 'Readonly', 'ReadonlyArray', 'Record']);

const { config } = ts.readConfigFile(join(root, '../../tsconfig.base.json'), ts.sys.readFile);
const base = ts.convertCompilerOptionsFromJson(config.compilerOptions, root).options;
const program = ts.createProgram([join(source, 'index.ts'), join(source, 'router.ts')], {
  ...base,
  noEmit: false,
  declaration: true,
  rewriteRelativeImportExtensions: true,
  rootDir: source,
  outDir: target,
});

const ours = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(`${source}/`));
const isBundled = ({ fileName }) => /^(?:check\/|events\/parse\.ts$)/.test(fileName.slice(source.length + 1));
const problems = ours.flatMap((file) => [
  ...program.getSyntacticDiagnostics(file),
  ...program.getSemanticDiagnostics(file),
]);
rmSync(target, { recursive: true, force: true });
const operations = join(source, 'operations.ts');
for (const file of ours.filter((file) => !isBundled(file))) {
  const { diagnostics } = program.emit(file, (path, text) =>
    write(path, path.endsWith('.d.ts') ? withJsImports(text) : text),
  );
  problems.push(...diagnostics);
}
const names = ['Operations', 'OperatorOperations'];
write(
  join(target, 'operations.d.ts'),
  names.map((name) => flattened(program.getSourceFile(operations), name)).join('\n'),
);

bundle('check/check', 'mediabunny (https://github.com/Vanilagy/mediabunny), Mozilla Public License 2.0');
bundle('events/parse', 'eventsource-parser (https://github.com/rexxars/eventsource-parser), MIT License');

if (problems.length > 0) {
  const host = { getCurrentDirectory: () => root, getCanonicalFileName: (name) => name, getNewLine: () => '\n' };
  process.stderr.write(ts.formatDiagnostics(problems, host));
  process.exit(1);
}

function bundle(name, parts) {
  const bun = join(root, '../../node_modules/bun/bin/bun.exe');
  const output = ['--outfile', join(target, `${name}.js`), '--format', 'esm', '--target', 'browser', '--minify'];
  execFileSync(bun, ['build', join(source, `${name}.ts`), ...output, '--banner', `/* Contains parts of ${parts}. */`], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Changes `.ts` in the imports of declarations to `.js`: not every tool that reads them resolves `.ts`. */
function withJsImports(text) {
  return text.replace(/(from '\.{1,2}\/[^']+)\.ts'/g, "$1.js'");
}

/** The text of a file that declares a type with all its parts written out. @throws Error if a part isn't plain data */
function flattened(file, name) {
  const checker = program.getTypeChecker();
  const alias = file.statements.find(
    (statement) => ts.isTypeAliasDeclaration(statement) && statement.name.text === name,
  );
  const { NoTruncation, InTypeAlias, MultilineObjectLiterals } = ts.NodeBuilderFlags;
  const flags = NoTruncation | InTypeAlias | MultilineObjectLiterals;
  const type = checker.typeToTypeNode(checker.getTypeAtLocation(alias.name), undefined, flags);
  const print = (node) => ts.createPrinter().printNode(ts.EmitHint.Unspecified, node, file);
  requirePlain(type, (node) => `${name} has a part that isn't plain data: ${print(node)}`);
  return `${alias.jsDoc[0].getText(file)}\nexport type ${name} = ${print(type)};\n`;
}

function requirePlain(node, complain) {
  const isForeign = ts.isImportTypeNode(node) || (ts.isTypeReferenceNode(node) && !GLOBALS.has(node.typeName.text));
  const isVague = node.kind === ts.SyntaxKind.AnyKeyword || node.kind === ts.SyntaxKind.NeverKeyword;
  if (isForeign || isVague) throw new Error(complain(node));
  ts.forEachChild(node, (child) => requirePlain(child, complain));
}
