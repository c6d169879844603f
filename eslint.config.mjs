import js from '@eslint/js';
import tseslint from 'typescript-eslint';

const nodeGlobals = {
  __dirname: 'readonly',
  console: 'readonly',
  fetch: 'readonly',
  module: 'writable',
  process: 'readonly',
  require: 'readonly',
  setTimeout: 'readonly'
};

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
    files: ['src/**/*.{ts,tsx}', 'ui-tests/**/*.ts'],
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
    // Playwright reads a fixture's needs from its pattern, also when there are none.
    files: ['ui-tests/**/*.ts'],
    rules: { 'no-empty-pattern': 'off' }
  },
  {
    files: [
      '*.js',
      '*.mjs',
      'scripts/**/*.{js,mjs}',
      'bench/**/*.{js,mjs}',
      'faults/**/*.mjs'
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
