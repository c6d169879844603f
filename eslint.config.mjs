import js from '@eslint/js';
import reactHooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';

import { ROOMS } from './scripts/rooms.mjs';

const nodeGlobals = {
  __dirname: 'readonly',
  console: 'readonly',
  fetch: 'readonly',
  module: 'writable',
  process: 'readonly',
  require: 'readonly',
  setTimeout: 'readonly',
  URL: 'readonly'
};

/** The rooms that know nothing of the page, so that they run in Node too. In `filter` and `labpatch` some files do. */
const WITHOUT_PAGE = ROOMS.slice(0, ROOMS.indexOf('ui')).filter(
  room => room !== 'filter' && room !== 'labpatch'
);

/** Made by `make types` and scripts/grammar.mjs. */
const GENERATED = ['src/base/api.ts', 'src/filter/parser*.ts'];

/** A room imports from those before it, types too; each file by its own path. */
const directions = ROOMS.map((room, place) => {
  const later = ROOMS.slice(place + 1).join('|');
  const patterns = [
    {
      regex: '/index$|^\\.\\.?$',
      message: 'There are no index files: import from the file itself.'
    }
  ];
  if (later) {
    patterns.push({
      regex: `^(\\.\\./)+(${later})/`,
      message: `${room}/ imports only from rooms before it (ROOMS in scripts/rooms.mjs).`
    });
  }
  if (WITHOUT_PAGE.includes(room)) {
    patterns.push({
      regex:
        '^(react|react-dom|@lumino/(widgets|domutils|dragdrop)|@jupyterlab/(apputils|ui-components|application|cells))$',
      allowTypeImports: true,
      message: `${room}/ runs without a page.`
    });
  }
  return {
    files: [`src/${room}/**/*.{ts,tsx}`],
    rules: {
      '@typescript-eslint/no-restricted-imports': ['error', { patterns }]
    }
  };
});

export default tseslint.config(
  {
    ignores: [
      '**/node_modules/**',
      '**/*.d.ts',
      '.*/**',
      'build/**',
      'coverage/**',
      'dist/**',
      'jupyterlab_turnbook/**',
      'lib/**',
      'ui-tests/playwright-report/**',
      'ui-tests/test-results/**'
    ]
  },
  js.configs.recommended,
  {
    files: [
      'src/**/*.{ts,tsx}',
      'examples/**/*.ts',
      'ui-tests/**/*.ts',
      'faults/**/*.ts'
    ],
    extends: [tseslint.configs.recommended],
    languageOptions: {
      parserOptions: {
        project: './tsconfig.test.json',
        tsconfigRootDir: import.meta.dirname
      }
    },
    rules: {
      curly: ['error', 'all'],
      eqeqeq: ['error', 'smart'],
      'no-empty': ['error', { allowEmptyCatch: false }],
      'prefer-arrow-callback': 'error',
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/consistent-type-imports': [
        'error',
        { fixStyle: 'inline-type-imports', disallowTypeAnnotations: false }
      ],
      '@typescript-eslint/no-empty-object-type': [
        'error',
        { allowInterfaces: 'with-single-extends' }
      ],
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': [
        'error',
        { checksVoidReturn: false }
      ],
      // JupyterLab's own idiom: a class and the namespace of its options.
      '@typescript-eslint/no-namespace': 'off',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { args: 'none', caughtErrors: 'all', ignoreRestSiblings: true }
      ],
      '@typescript-eslint/only-throw-error': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true }
      ]
    }
  },
  {
    files: ['src/**/*.tsx', 'src/**/use*.ts'],
    plugins: { 'react-hooks': reactHooks },
    rules: {
      'react-hooks/exhaustive-deps': 'error',
      'react-hooks/rules-of-hooks': 'error'
    }
  },
  ...directions,
  {
    files: ['src/**/*.{ts,tsx}', 'ui-tests/support/**/*.ts'],
    ignores: ['src/**/__tests__/**', ...GENERATED],
    rules: { 'max-lines': ['error', 450] }
  },
  {
    files: WITHOUT_PAGE.map(room => `src/${room}/**/*.ts`),
    ignores: ['src/**/__tests__/**'],
    rules: {
      'no-restricted-globals': [
        'error',
        ...['document', 'window', 'navigator', 'localStorage', 'sessionStorage']
      ]
    }
  },
  {
    files: ['src/**/*.{ts,tsx}'],
    ignores: ['src/document/**', 'src/**/__tests__/**'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: "ImportSpecifier[imported.name='KEYS']",
          message:
            'Metadata of ours is read and written in document/: Pair for a cell, chatentry.ts for the notebook.'
        },
        {
          selector:
            'CallExpression[callee.property.name=/^(get|set|update)Outputs$/]',
          message: 'Outputs are read and written in document/: Pair.'
        }
      ]
    }
  },
  {
    // Playwright reads a fixture's needs from its pattern, also when there are none.
    files: ['ui-tests/**/*.ts'],
    rules: { 'no-empty-pattern': 'off' }
  },
  {
    files: [
      '*.js',
      '*.mjs',
      'scripts/**/*.{cjs,mjs}',
      'bench/**/*.{js,mjs}',
      '{faults,soak}/**/*.mjs'
    ],
    languageOptions: { globals: nodeGlobals }
  },
  {
    files: ['*.js'],
    languageOptions: { sourceType: 'commonjs' }
  },
  {
    // Tests read notebooks as JSON and reach into the page, where nothing has a type.
    files: ['src/**/__tests__/**', 'ui-tests/**'],
    rules: { '@typescript-eslint/no-explicit-any': 'off' }
  }
);
