import { describe, expect, it } from 'vitest'
import {
  aCommand,
  aHost,
  aPath,
  aQuestion,
  aText,
  theWords,
} from '../../../test/property/policy-builders.js'
import { runs } from '../../tools/runs.js'
import { smallestAllow } from './smallest-allow.js'

function shell(command: string) {
  const [need] = runs(command)
  const analysis = need?.kind === 'command' ? need.analysis : undefined
  return aQuestion('bash', [
    { ...aCommand(command), ...(analysis === undefined ? {} : { analysis }) },
  ])
}

describe('the smallest rule that would have allowed a call', () => {
  it.each([
    ['a command', aQuestion('bash', [aCommand('git push origin')]), 'bash(git push origin)'],
    ['special letters', aQuestion('bash', [theWords('echo', '(a)*')]), 'bash(echo \\(a\\)\\*)'],
    ['a word with a blank', aQuestion('bash', [theWords('echo', 'a b')]), 'bash(echo a?b)'],
    ['a word that is filled in', shell('echo $x'), 'bash(echo **)'],
    ['operands from an input', shell('ls | xargs rm'), null],
    ['a wrapped command', shell('timeout 5 npm test'), 'bash(npm test)'],
    ['a wrapped interpreter', shell('timeout 5 python3 x.py'), null],
    ['an interpreter', aQuestion('bash', [aCommand('python3 x.py')]), null],
    ['refused text', aQuestion('bash', [aCommand('echo $x', 'indirection')]), null],
    ['a path', aQuestion('read', [aPath('src/a')]), 'read(/ws/src/a)'],
    ['a path with wildcards', aQuestion('read', [aPath('a*(b)')]), 'read(/ws/a[*]\\(b\\))'],
    ['a link', aQuestion('read', [aPath('a', { real: ['/etc/a'] })]), 'read({/ws/a,/etc/a})'],
    ['a secret', aQuestion('read', [aPath('.env')]), 'read(/ws/.env)'],
    ['an unresolved path', aQuestion('read', [aPath('a', { resolved: false })]), null],
    ['a host', aQuestion('web_fetch', [aHost('A.test.')]), 'web_fetch(a.test)'],
    ['a path and a host', aQuestion('download', [aPath('a'), aHost('a.test')]), 'download'],
    ['a text', aQuestion('agent', [aText('ops')]), 'agent(ops)'],
    ['no subject', aQuestion('ping'), 'ping'],
  ])('%s', (_title, question, expected) => {
    expect(smallestAllow(question)?.match ?? null).toBe(expected)
  })
})
