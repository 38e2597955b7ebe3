// The arrows between the rooms of src/, as docs/architecture.md draws them. Run with `npm run check:architecture`.
// Tests may look anywhere; they are left out as a starting point, not as a target.
const tests = '\\.(test|fixture)\\.ts$';

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'core-is-pure',
      comment: 'core imports only core, zod and yaml: no Node, no client, no clock',
      severity: 'error',
      from: { path: '^src/core/', pathNot: tests },
      to: { pathNot: ['^src/core/', '(^|/)node_modules/(zod|yaml)/'] },
    },
    {
      name: 'graph-knows-only-names',
      comment: 'core/graph imports only itself',
      severity: 'error',
      from: { path: '^src/core/graph/', pathNot: tests },
      to: { pathNot: '^src/core/graph/' },
    },
    {
      name: 'engine-speaks-through-ports',
      comment: 'engine imports only engine and core',
      severity: 'error',
      from: { path: '^src/engine/', pathNot: tests },
      to: { pathNot: ['^src/engine/', '^src/core/'] },
    },
    {
      name: 'provision-prepares',
      comment: 'provision runs programs through the adapters and tells events as the engine does; it knows no command line',
      severity: 'error',
      from: { path: '^src/provision/', pathNot: tests },
      to: { path: '^src/', pathNot: ['^src/provision/', '^src/adapters/', '^src/engine/', '^src/core/'] },
    },
    {
      name: 'sandbox-does-not-share-our-mistakes',
      comment: 'of our own rooms the sandbox imports only sandbox and core',
      severity: 'error',
      from: { path: '^src/sandbox/', pathNot: tests },
      to: { path: '^src/', pathNot: ['^src/sandbox/', '^src/core/'] },
    },
    {
      name: 'adapters-are-doors',
      comment: 'adapters implement the ports; they know neither the sandbox nor the command line',
      severity: 'error',
      from: { path: '^src/adapters/', pathNot: tests },
      to: { path: '^src/', pathNot: ['^src/adapters/', '^src/engine/', '^src/core/'] },
    },
    {
      name: 'one-door-to-kubernetes',
      comment: 'only adapters import a Kubernetes client',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/adapters/', tests] },
      to: { path: '(^|/)node_modules/@kubernetes/' },
    },
    {
      name: 'entry-points-are-ends',
      comment: 'nothing imports an entry point',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/cli/', tests] },
      to: { path: '^src/cli/' },
    },
    {
      name: 'no-test-code-in-src',
      comment: 'what runs does not import what tests',
      severity: 'error',
      from: { path: '^src/', pathNot: tests },
      to: { path: ['^test/', '^bench/', tests] },
    },
    {
      name: 'the-product-does-not-know-the-testbed',
      comment: 'the testbed uses src; src, which people install, never the testbed',
      severity: 'error',
      from: { path: '^src/', pathNot: tests },
      to: { path: '^testbed/' },
    },
    {
      name: 'the-testbed-does-not-judge',
      comment: 'the testbed takes objects, a client and a clock from src; engine and command line are what it tests',
      severity: 'error',
      from: { path: '^testbed/', pathNot: tests },
      to: { path: ['^src/engine/', '^src/cli/'] },
    },
    {
      name: 'no-cycles',
      comment: 'modules can be read in one order, types included',
      severity: 'error',
      from: { path: '^(src|testbed)/' },
      to: { circular: true },
    },
    {
      name: 'imports-resolve',
      comment: 'an import that is not there would slip through the other rules',
      severity: 'error',
      from: { path: '^(src|testbed)/' },
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // Imports of types are arrows, too.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'types'] },
  },
};
