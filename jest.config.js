const jupyterlab = require('@jupyterlab/testutils/lib/jest-config')(__dirname);

// Packages that ship ES modules only, which jest cannot load as they are.
const esModules = [
  '@codemirror',
  '@jupyter',
  '@jupyterlab',
  '@lezer',
  '@marijn',
  '@microsoft',
  '@noble',
  '@rjsf',
  'color',
  'd3',
  'delaunator',
  'exenv-es6',
  'internmap',
  'lib0',
  'marked',
  'nanoid',
  'openai',
  'pure-rand',
  'robust-predicates',
  'vscode-ws-jsonrpc',
  'y-protocols',
  'y-websocket',
  'yjs'
].join('|');

const fastCheck = { '^fast-check$': '<rootDir>/scripts/fastcheck.cjs' };

// The examples use Turnbook by its name, as other extensions do.
const turnbook = { '^jupyterlab-turnbook$': '<rootDir>/src/index.ts' };

const shared = {
  moduleFileExtensions: jupyterlab.moduleFileExtensions,
  modulePathIgnorePatterns: [
    '<rootDir>/build/',
    '<rootDir>/dist/',
    '<rootDir>/jupyterlab_turnbook/labextension/',
    '<rootDir>/lib/',
    '<rootDir>/\\.venv'
  ],
  roots: ['<rootDir>/src'],
  transform: {
    '\\.svg$': jupyterlab.transform['\\.svg$'],
    '\\.[jt]sx?$': '<rootDir>/scripts/sucrase.cjs'
  },
  transformIgnorePatterns: [`/node_modules/(?!(${esModules})).+`]
};

module.exports = {
  // `*.spec.ts` is pure logic in node; `*.lab.spec.ts` has a DOM and JupyterLab's packages.
  projects: [
    {
      ...shared,
      displayName: 'pure',
      setupFiles: ['<rootDir>/scripts/jestnoise.cjs'],
      moduleNameMapper: fastCheck,
      testEnvironment: 'node',
      testMatch: ['**/__tests__/**/*.spec.ts'],
      testPathIgnorePatterns: ['/node_modules/', '\\.lab\\.spec\\.tsx?$']
    },
    {
      ...shared,
      displayName: 'lab',
      moduleNameMapper: {
        ...fastCheck,
        ...turnbook,
        ...jupyterlab.moduleNameMapper
      },
      resolver: jupyterlab.resolver,
      setupFiles: [...jupyterlab.setupFiles, '<rootDir>/scripts/jestnoise.cjs'],
      testEnvironment: jupyterlab.testEnvironment,
      testMatch: ['**/__tests__/**/*.lab.spec.{ts,tsx}'],
      testPathIgnorePatterns: ['/node_modules/']
    }
  ],
  coverageDirectory: jupyterlab.coverageDirectory,
  coverageReporters: jupyterlab.coverageReporters,
  reporters: ['default'],
  testTimeout: 20000
};
