/** Options before a subcommand, so that a rule for `git commit` meets `git -C x commit` (rules.md §5 item 2). */

import type { ShellWord } from '../unfold/word.js'
import { programName } from './name.js'

interface Globals {
  /** Options whose value is the next word. */
  readonly valued: readonly string[]
}

/** The words without global options; `null` when there is nothing to leave out. */
export function withoutGlobals(words: readonly ShellWord[]): readonly string[] | null {
  const [program, ...rest] = words
  const globals = GLOBALS.get(programName(program?.text ?? ''))
  if (program === undefined || globals === undefined) return null
  let index = 0
  for (;;) {
    const text = rest[index]?.text ?? ''
    if (!/^[-+]./.test(text)) break
    index += globals.valued.includes(text) ? 2 : 1
  }
  if (index === 0 || index >= rest.length) return null
  return [program.text, ...rest.slice(index).map((word) => word.text)]
}

/** True for programs whose first operand says what they do. */
export function hasSubcommands(name: string): boolean {
  return GLOBALS.has(name) && name !== 'make'
}

const GLOBALS: ReadonlyMap<string, Globals> = new Map(
  Object.entries({
    git: [
      '-C',
      '-c',
      '--git-dir',
      '--work-tree',
      '--namespace',
      '--exec-path',
      '--config-env',
      '--super-prefix',
      '--attr-source',
    ],
    kubectl: [
      '-n',
      '--namespace',
      '--context',
      '--cluster',
      '--kubeconfig',
      '--user',
      '-s',
      '--server',
      '--as',
      '--token',
      ...['--as-group', '--cache-dir', '--certificate-authority', '--client-certificate'],
      ...['--client-key', '--request-timeout', '--tls-server-name', '-v', '--v'],
    ],
    helm: ['-n', '--namespace', '--kube-context', '--kubeconfig'],
    docker: ['-H', '--host', '--context', '-c', '--config', '-l', '--log-level'],
    podman: ['--url', '--connection', '--root', '--log-level', '-c'],
    npm: [
      ...['--prefix', '-C', '-w', '--workspace', '--registry', '--userconfig', '--loglevel'],
      ...['--tag', '--access', '--otp', '--cache', '--location'],
    ],
    pnpm: ['-C', '--dir', '--filter', '-F'],
    yarn: ['--cwd'],
    bun: ['--cwd'],
    cargo: ['-C', '--color', '-Z', '--config', '--manifest-path'],
    go: ['-C'],
    make: ['-C', '-f', '-I', '-j', '--directory', '--file'],
    aws: ['--profile', '--region', '--output', '--endpoint-url', '--query', '--color'],
    gcloud: ['--project', '--account', '--configuration', '--format', '--verbosity'],
    az: ['--subscription', '--output', '-o', '--query'],
    gh: ['-R', '--repo', '--hostname'],
    terraform: [],
    tofu: [],
    systemctl: ['-H', '--host', '-M', '--machine', '-t', '-p'],
    uv: ['--project', '--directory', '--python', '-p'],
    poetry: ['-C', '--directory', '-P', '--project'],
    bundle: [],
    composer: ['-d', '--working-dir'],
    conda: [],
    pip: ['--python', '--log', '--proxy', '--timeout', '--cache-dir'],
  }).map(([name, valued]) => [name, { valued }]),
)
