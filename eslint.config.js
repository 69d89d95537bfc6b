/** Lint: what neither the compiler nor the architecture test can see. docs/contributing.md says how to read it. */

import { builtinModules } from 'node:module'
import { configs as regexp } from 'eslint-plugin-regexp'
import security from 'eslint-plugin-security'
import tseslint from 'typescript-eslint'

const SOURCE = ['src/**/*.ts']
const TESTS = ['**/*.test.ts', 'test/**/*.ts', 'bench/**/*.ts', '*.config.ts']
const SCRIPTS = ['**/*.js', '**/*.mjs', '**/*.cjs']

/** Folders that only compute: no process, no clock, no chance. */
const PURE = ['core', 'contract', 'encoding', 'lists', 'policy', 'shell', 'pipeline', 'delegation']

/** What may touch Node itself: its one home, the composition root, and programs built on top. */
const NEAR_NODE = ['src/*.ts', 'src/platform/**', 'src/cli/**', 'src/hosts/**', 'src/testing/**']

const BUILTINS = builtinModules.filter((name) => !name.startsWith('_'))

const FAULT = 'Throw a SixgateError subclass with a code of core/errors.ts.'
const BUILT_IN_ERRORS = '/^(Aggregate|Eval|Range|Reference|Syntax|Type|URI)?Error$/'

/** The manners of docs/contributing.md that an AST selector can see. */
const MANNERS = [
  { selector: `NewExpression[callee.name=${BUILT_IN_ERRORS}]`, message: FAULT },
  { selector: `CallExpression[callee.name=${BUILT_IN_ERRORS}]`, message: FAULT },
  { selector: 'ExportDefaultDeclaration', message: 'Export by name: a default has no one name.' },
  { selector: 'ExportAllDeclaration', message: 'List public names by hand: no barrels.' },
  { selector: 'TSEnumDeclaration', message: 'Write a const tuple and derive the union from it.' },
  { selector: 'TSModuleDeclaration[kind="namespace"]', message: 'A file is the namespace.' },
  // State that never leaves its file may change; a pattern such as `Extract<Need, { kind: 'path' }>` is no field.
  ...['TSInterfaceDeclaration', 'TSTypeAliasDeclaration'].map((declaration) => ({
    selector: `ExportNamedDeclaration > ${declaration} TSPropertySignature[readonly!=true]:not(TSTypeParameterInstantiation *)`,
    message: 'Every field is readonly: make a new value instead of changing one.',
  })),
]

const NO_CLOCK = [
  {
    selector: 'NewExpression[callee.name="Date"][arguments.length=0]',
    message: 'Time arrives as an argument; only platform/clock.ts reads it.',
  },
  {
    selector: 'CallExpression[callee.object.name="Date"][callee.property.name="now"]',
    message: 'Time arrives as an argument; only platform/clock.ts reads it.',
  },
  {
    selector: 'CallExpression[callee.object.name="Math"][callee.property.name="random"]',
    message: 'Chance arrives as an argument; only platform/ids.ts draws it.',
  },
]

const EFFECTS = 'Effects live in platform and arrive as arguments.'

/** A file opens with one sentence that says what it is for. */
const opening = {
  meta: {
    type: 'suggestion',
    schema: [],
    messages: { missing: 'Open with one `/** … */` sentence.' },
  },
  create: ({ sourceCode, report }) => ({
    Program(node) {
      const first = sourceCode.getAllComments().find((comment) => comment.type !== 'Shebang')
      const before = sourceCode.text.slice(0, first?.range[0]).replace(/^#!.*/u, '')
      const opens = first?.type === 'Block' && first.value.startsWith('*') && before.trim() === ''
      if (!opens) report({ node, loc: { line: 1, column: 0 }, messageId: 'missing' })
    },
  }),
}

export default tseslint.config(
  { ignores: ['dist/', 'coverage/', '.cache/', 'node_modules/', 'test/cases/', 'test/golden/'] },
  {
    name: 'every file',
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      eqeqeq: 'error',
      'no-var': 'error',
      'prefer-const': 'error',
      'no-empty': 'error',
      'no-eval': 'error',
      'no-new-func': 'error',
      'no-proto': 'error',
      'no-constant-binary-expression': 'error',
      'no-self-compare': 'error',
      'no-template-curly-in-string': 'error',
      'no-unreachable-loop': 'error',
      'no-unsafe-finally': 'error',
      'no-useless-assignment': 'error',
      'no-irregular-whitespace': ['error', { skipStrings: false, skipTemplates: false }],
      'no-warning-comments': ['error', { terms: ['todo', 'fixme', 'xxx', 'hack'] }],
    },
  },
  regexp['flat/recommended'],
  {
    name: 'regexp, what is added and why the rest is off',
    rules: {
      'regexp/no-super-linear-move': 'error',
      // Grammars spell their ASCII out: `i` and `\w` take in more under the flag `u`, such as the Kelvin sign.
      'regexp/use-ignore-case': 'off',
      'regexp/prefer-w': 'off',
      'regexp/prefer-d': 'off',
      'regexp/prefer-predefined-assertion': 'off',
      'regexp/prefer-character-class': 'off',
      // Terminal sequences are defined by ranges of code points (ECMA-48), as odd as they look.
      'regexp/no-obscure-range': 'off',
    },
  },
  { ...security.configs.recommended, name: 'security' },
  {
    name: 'security, what is on and why the rest is off',
    rules: {
      'security/detect-bidi-characters': 'error',
      'security/detect-invisible-characters': 'error',
      'security/detect-eval-with-expression': 'error',
      'security/detect-new-buffer': 'error',
      'security/detect-buffer-noassert': 'error',
      'security/detect-pseudoRandomBytes': 'error',
      'security/detect-non-literal-require': 'error',
      'security/detect-non-literal-regexp': 'error',
      // It counts stars; regexp/no-super-linear-backtracking and -move analyse what a pattern can really do.
      'security/detect-unsafe-regex': 'off',
      // Comparing two public digests or tokens of a grammar is no secret; secrets go through `digestsEqual`.
      'security/detect-possible-timing-attacks': 'off',
      // Flags every `table[key]`; closed tables are typed by their union and the rest is checked access.
      'security/detect-object-injection': 'off',
      // Every path here is somebody's argument; the path guard and the sandbox decide, platform only obeys.
      'security/detect-non-literal-fs-filename': 'off',
      // Only platform/spawn.ts starts processes, never through a shell; the architecture test holds that.
      'security/detect-child-process': 'off',
      // There is no web server and there are no templates in this package.
      'security/detect-disable-mustache-escape': 'off',
      'security/detect-no-csrf-before-method-override': 'off',
    },
  },
  {
    name: 'typed',
    files: ['**/*.ts', '**/*.mts', '**/*.cts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: false, requireDefaultForNonUnion: true },
      ],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/restrict-plus-operands': ['error', { allowNumberAndString: false }],
      '@typescript-eslint/no-floating-promises': ['error', { ignoreVoid: false }],
      '@typescript-eslint/consistent-type-imports': ['error', { disallowTypeAnnotations: true }],
      '@typescript-eslint/consistent-type-exports': 'error',
      '@typescript-eslint/no-import-type-side-effects': 'error',
      '@typescript-eslint/method-signature-style': 'error',
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
      '@typescript-eslint/no-unnecessary-condition': [
        'error',
        { allowConstantLoopConditions: 'only-allowed-literals' },
      ],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      // Spreading a text gives its code points, which is what every grammar and every escape here works on.
      '@typescript-eslint/no-misused-spread': 'off',
      // A port is asynchronous whatever its implementation needs, and `async` turns a throw into a rejection.
      '@typescript-eslint/require-await': 'off',
      // `run<R>` and its like let the caller say what an executor returns; the contract has it so.
      '@typescript-eslint/no-unnecessary-type-parameters': 'off',
    },
  },
  {
    name: 'source',
    files: SOURCE,
    ignores: TESTS,
    plugins: { sixgate: { rules: { opening } } },
    rules: {
      'sixgate/opening': 'error',
      'no-restricted-syntax': ['error', ...MANNERS],
      'max-params': ['error', 3],
      'max-lines-per-function': ['error', { max: 35, skipBlankLines: true, skipComments: true }],
      'no-console': 'error',
      '@typescript-eslint/prefer-readonly': 'error',
      '@typescript-eslint/explicit-module-boundary-types': 'error',
    },
  },
  {
    name: 'effects only at the rim',
    files: SOURCE,
    ignores: [...TESTS, ...NEAR_NODE],
    rules: {
      'no-restricted-globals': [
        'error',
        ...['process', 'Buffer', 'fetch', 'setTimeout', 'setInterval', 'setImmediate'].map(
          (name) => ({ name, message: EFFECTS }),
        ),
      ],
    },
  },
  {
    name: 'node only in platform',
    files: SOURCE,
    ignores: [...TESTS, ...NEAR_NODE, 'src/encoding/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          // By exact name: as a pattern, `process` would also mean our own folder of that name.
          paths: BUILTINS.map((name) => ({ name, message: EFFECTS })),
          patterns: [{ group: ['node:*'], message: EFFECTS }],
        },
      ],
    },
  },
  {
    name: 'the state of open sessions',
    files: ['src/enforce/live-session.ts'],
    rules: {
      // What a session holds while it is open changes in place, so that one step without a wait is one step
      // for everybody; the fields that do are the ones without `readonly`, and only this folder writes them.
      'no-restricted-syntax': ['error', ...MANNERS.slice(0, -2)],
    },
  },
  {
    name: 'pure folders',
    files: PURE.map((folder) => `src/${folder}/**/*.ts`),
    ignores: TESTS,
    rules: {
      'no-restricted-syntax': ['error', ...MANNERS, ...NO_CLOCK],
    },
  },
  {
    name: 'layers',
    files: ['src/pipeline/*.ts'],
    ignores: TESTS,
    rules: {
      'max-lines-per-function': ['error', { max: 40, skipBlankLines: true, skipComments: true }],
    },
  },
  {
    name: 'faults',
    files: ['src/core/errors.ts'],
    rules: {
      // `new SandboxError(code, message, remedy, cause)`: the order of the platform's own errors, cause last.
      'max-params': ['error', 4],
    },
  },
  {
    name: 'signatures',
    files: ['src/contract/**'],
    rules: {
      // The public signatures are given; what implements them takes an object inside.
      'max-params': 'off',
    },
  },
  {
    name: 'commands speak',
    files: ['src/cli/**/*.ts'],
    rules: { 'no-console': 'off' },
  },
  {
    name: 'tests',
    files: TESTS,
    rules: {
      // Tests hand in what a careless or hostile caller would: values of no honest type.
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-explicit-any': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-empty-function': 'off',
      '@typescript-eslint/only-throw-error': 'off',
      '@typescript-eslint/prefer-promise-reject-errors': 'off',
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/no-confusing-void-expression': 'off',
      '@typescript-eslint/no-deprecated': 'off',
      '@typescript-eslint/no-unnecessary-condition': 'off',
      '@typescript-eslint/no-unnecessary-boolean-literal-compare': 'off',
      // Hostile patterns are what some tests are about.
      'security/detect-non-literal-regexp': 'off',
      'security/detect-bidi-characters': 'off',
      'security/detect-invisible-characters': 'off',
      'no-template-curly-in-string': 'off',
    },
  },
  {
    name: 'scripts',
    files: SCRIPTS,
    extends: [tseslint.configs.disableTypeChecked],
    rules: { 'no-undef': 'off' },
  },
)
