import { describe, expect, it } from 'vitest'
import { confinedEnvironment, rehome, type EnvironmentInput } from './environment.js'

function anInput(parts: Partial<EnvironmentInput>): EnvironmentInput {
  return { host: {}, pass: [], explicit: {}, path: ['/usr/bin'], writable: ['/ws'], ...parts }
}

describe('what the host passes on', () => {
  it('passes on the allowlist and nothing else', () => {
    const host = { LANG: 'C', LC_ALL: 'C', TERM: 'xterm', CARGO_HOME: '/c', CANARY: 'x', FOO: 'y' }

    expect(confinedEnvironment(anInput({ host }))).toEqual({
      LANG: 'C',
      LC_ALL: 'C',
      TERM: 'xterm',
      CARGO_HOME: '/c',
      PATH: '/usr/bin',
    })
  })

  it('passes on what the policy names', () => {
    const built = confinedEnvironment(anInput({ host: { FOO: 'y' }, pass: ['FOO'] }))

    expect(built['FOO']).toBe('y')
  })

  it('never passes on a secret or a loader variable, named by the policy or not', () => {
    const host = { NPM_TOKEN: 't', LD_PRELOAD: 'x', SSH_AUTH_SOCK: 's', AWS_SECRET_ACCESS_KEY: 'k' }

    expect(confinedEnvironment(anInput({ host, pass: Object.keys(host) }))).toEqual({
      PATH: '/usr/bin',
    })
  })
})

describe('what a call gives', () => {
  it.each([
    'BASH_ENV',
    'env',
    'NODE_OPTIONS',
    'PYTHONPATH',
    'PYTHONBREAKPOINT',
    'RUBYOPT',
    'PERL5DB',
    'LUA_INIT_5_4',
    '_JAVA_OPTIONS',
    'LD_AUDIT',
    'DYLD_FRAMEWORK_PATH',
    'GIT_SSH_COMMAND',
    'NPM_CONFIG_SCRIPT_SHELL',
    'npm_config_registry',
    'GLIBC_TUNABLES',
    'PROMPT_COMMAND',
    'SHELLOPTS',
    'BASHOPTS',
    'IFS',
    'PS4',
    'BASH_FUNC_ls%%',
    'https_proxy',
    'NO_PROXY',
    'GITHUB_TOKEN',
    'MY_API_KEY',
    'DB_PASSWORD',
    'HOME',
    'TMPDIR',
    'XDG_CONFIG_HOME',
  ])('[S1-28] removes %s even when it is given explicitly', (name) => {
    const built = confinedEnvironment(anInput({ explicit: { [name]: 'x' } }))

    expect(Object.keys(built)).toEqual(['PATH'])
  })

  it.each(['MONKEY', 'KEYBOARD', 'AUTHOR', 'GITIGNORE', 'TOKENIZER', 'FOO'])(
    'keeps the harmless name %s',
    (name) => {
      expect(confinedEnvironment(anInput({ explicit: { [name]: 'x' } }))[name]).toBe('x')
    },
  )

  it.each([{ '': 'x' }, { 'A=B': 'x' }, { 'A\0': 'x' }, { A: 'x\0' }])(
    '[S1-28] refuses %j, which no environment can hold',
    (explicit) => {
      expect(() => confinedEnvironment(anInput({ explicit }))).toThrowError(
        expect.objectContaining({ name: 'SandboxError', code: 'invalid_environment' }),
      )
    },
  )

  it('takes __proto__ as the name of a variable and nothing more', () => {
    const explicit = Object.fromEntries([['__proto__', 'x']])
    const built = confinedEnvironment(anInput({ explicit }))

    expect(Object.getPrototypeOf(built)).toBe(Object.prototype)
    expect(Object.entries(built)).toContainEqual(['__proto__', 'x'])
  })
})

describe('PATH', () => {
  it('[H-26] leaves every writable folder out of PATH', () => {
    const path = ['/ws/bin', '/usr/bin', '/ws', 'bin', '/wsx', '/a:b', '/usr/bin']

    expect(confinedEnvironment(anInput({ path }))['PATH']).toBe('/usr/bin:/wsx')
  })

  it('falls back to the folders of the system when nothing is left', () => {
    expect(confinedEnvironment(anInput({ path: ['/ws/bin'] }))['PATH']).toBe('/usr/bin:/bin')
  })

  it('is not taken from the call as it stands', () => {
    const built = confinedEnvironment(anInput({ explicit: { PATH: '/ws/bin' } }))

    expect(built['PATH']).toBe('/usr/bin')
  })
})

it('re-homes everything that a program writes to', () => {
  const built = rehome({ HOME: '/home/me', A: '1' }, '/tmp/home', '/tmp')

  expect(built).toMatchObject({ A: '1', HOME: '/tmp/home', TMPDIR: '/tmp' })
  expect(Object.values(built).join(' ')).not.toContain('/home/me')
})
