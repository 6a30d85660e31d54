/** The arrows of the house: each package may import what stands in its list and nothing else (docs/architecture.md). */
const MAY_IMPORT = {
  domain: [],
  application: ['domain'],
  database: ['domain'],
  storage: ['domain'],
  media: ['domain'],
  api: ['application', 'domain'],
  testing: ['domain'],
  harness: ['domain', 'testing'],
  client: ['api', 'domain'],
  browser: ['client', 'domain'],
  elements: ['browser', 'client'],
};

const arrows = Object.entries(MAY_IMPORT).map(([name, targets]) => ({
  name: `${name}-imports-only-${targets.join('-and-') || 'itself'}`,
  severity: 'error',
  from: { path: `^packages/${name}/src` },
  to: {
    path: '^(packages|apps)/',
    pathNot: `^packages/(${[name, ...targets].join('|')})/`,
  },
}));

module.exports = {
  forbidden: [
    ...arrows,
    {
      name: 'domain-is-pure',
      comment: 'The domain does no I/O and needs nothing: no package, no module of the platform.',
      severity: 'error',
      from: { path: '^packages/domain/src' },
      to: { dependencyTypes: ['core', 'npm', 'npm-dev', 'npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'application-needs-nothing-outside',
      severity: 'error',
      from: { path: '^packages/application/src' },
      to: { dependencyTypes: ['core', 'npm', 'npm-no-pkg', 'npm-unknown'], pathNot: '^packages/domain/' },
    },
    {
      name: 'client-knows-the-api-by-its-types',
      comment: 'What is published runs without the service, in browsers too.',
      severity: 'error',
      from: { path: '^packages/client/src' },
      to: { path: '^packages/api/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'client-runs-anywhere',
      comment: 'What checks files is built into one module, with the rules of the domain and mediabunny in it.',
      severity: 'error',
      from: { path: '^packages/client/src' },
      to: {
        dependencyTypes: ['core', 'npm-dev', 'npm-no-pkg', 'npm-unknown'],
        pathNot: '^packages/(api|domain/src/readiness)/|/mediabunny/',
      },
    },
    {
      name: 'checks-of-files-are-loaded-when-used',
      comment: 'check-file.ts loads them with its first call; nothing else of the client needs them.',
      severity: 'error',
      from: { path: '^packages/client/src/[^/]+\\.ts$' },
      to: { path: '^packages/client/src/check/', dynamic: false },
    },
    {
      name: 'nobody-imports-apps',
      severity: 'error',
      from: { path: '^packages/' },
      to: { path: '^apps/' },
    },
    {
      name: 'web-and-elements-are-clients',
      comment:
        'The pages do what any client can do, by the published client. They judge names and media as the service does.',
      severity: 'error',
      from: { path: '^(apps/web|packages/(browser|elements))/src' },
      to: {
        path: '^(packages|apps)/',
        pathNot:
          '^($1/|packages/browser/src/|packages/client/src/(index|resumable|retry|router)\\.ts$|packages/domain/src/(fit/max-excess|folders/folder-name|intake/left-out|media/tags|readiness/(index|network|text-limits))\\.ts$)',
      },
    },
    {
      name: 'adapters-are-made-in-compose',
      comment: 'apps/server/src/compose/ alone makes adapters; types may be named elsewhere.',
      severity: 'error',
      from: { path: '^apps/server/src', pathNot: '^apps/server/src/compose/' },
      to: { path: '^packages/(database|storage|media)/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'tracing-costs-nothing-unless-asked-for',
      comment: 'telemetry/tracing/otel.ts brings the SDK, so it is loaded only where traces are wanted.',
      severity: 'error',
      from: { path: '^apps/server/src' },
      to: { path: '^apps/server/src/telemetry/tracing/otel\\.ts$', dynamic: false, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'acceptance-tests-import-no-source',
      comment: 'They speak HTTP, like any client.',
      severity: 'error',
      from: { path: '^apps/server/test/acceptance' },
      // The client is what they install; here its name leads to its source.
      to: { path: '^(packages/(?!testing/|harness/|client/src/index\\.ts$)|apps/server/src)' },
    },
    {
      name: 'benchmarks-are-users',
      comment:
        'They start the program as anyone does; of the source they measure pure rules alone, and the queue of jobs.',
      severity: 'error',
      from: { path: '^apps/lab/(src|test)/bench/', pathNot: '^apps/lab/src/bench/jobs/' },
      to: { path: '^(packages/(?!domain/|harness/|testing/)|apps/(?!lab/(src|test)/bench/))' },
    },
    {
      name: 'benchmark-of-jobs',
      comment: 'No request waits for a claim alone.',
      severity: 'error',
      from: { path: '^apps/lab/src/bench/jobs/' },
      to: {
        path: '^(packages/(?!database/src/(?:index|open-postgres)\\.ts$|domain/|harness/|testing/)|apps/(?!lab/(src|test)/bench/))',
      },
    },
    {
      name: 'torture-is-a-user',
      comment: 'What it holds the service to is its own look at files, rows and answers.',
      severity: 'error',
      from: { path: '^apps/lab/(src|test)/torture/' },
      to: { path: '^(packages/(?!harness/|testing/)|apps/(?!lab/(src|test)/torture/))' },
    },
    {
      name: 'fuzzing-is-from-outside',
      comment: 'It attacks the program as anyone could; of the source it calls the media inspector alone.',
      severity: 'error',
      from: { path: '^apps/lab/(src|test)/fuzz/' },
      to: { path: '^(packages/(?!domain/|harness/|media/|testing/)|apps/(?!lab/(src|test)/fuzz/))' },
    },
    {
      name: 'formats-is-a-user',
      comment: 'It stores files as anyone does, and compares what comes back with other programs.',
      severity: 'error',
      from: { path: '^apps/lab/(src|test)/formats/' },
      to: { path: '^(packages/(?!harness/|testing/)|apps/(?!lab/(src|test)/formats/))' },
    },
    {
      name: 'migrations-are-frozen',
      comment: 'A migration means the same for ever, so it imports nothing of ours.',
      severity: 'error',
      from: { path: '^packages/database/src/migrations/\\w+/(\\d|baseline/)' },
      to: { path: '^packages/', pathNot: '^packages/database/src/migrations/' },
    },
    {
      name: 'no-circles',
      comment: 'Types count too: whoever reads a file reads what it names.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-circles-between-folders',
      severity: 'error',
      scope: 'folder',
      from: { path: '^(packages|apps)/[^/]+/src' },
      to: { circular: true },
    },
    {
      name: 'no-orphan-import',
      severity: 'error',
      // These run in a folder of their own, in which the client, or what they try with us, is installed as it is published.
      from: {
        pathNot:
          '^packages/client/test/sample/|^apps/server/test/acceptance/clients/.*\\.mjs$|^apps/server/test/acceptance/clients/[^/]+/program/',
      },
      to: { couldNotResolve: true, pathNot: '^bun:' },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)node_modules/(?!@postshelf)|^(apps/web|packages/elements)/dist/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'default'],
      extensions: ['.ts', '.tsx', '.mjs', '.js'],
    },
    builtInModules: { add: ['bun', 'bun:test'] },
  },
};
