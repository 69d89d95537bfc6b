/** Who answers: the person at the terminal, or a script where standard input is none. */

import { terminalResponder } from 'sixgate'

/** The script reads what a person would be shown, and says yes. */
export function demoResponder(print) {
  if (process.stdin.isTTY) return terminalResponder()
  return {
    kind: 'script',
    ask: async ({ action, commands, reason, risk, decidingRule }) => {
      print(`  asked by ${decidingRule}: ${action} (risk ${risk})`)
      for (const { author, text } of commands) print(`    the ${author} wrote: ${text}`)
      if (reason !== null) print(`    the ${reason.author} says: ${reason.text}`)
      print('    standard input is no terminal, so a script answers: yes')
      return { answer: 'approve' }
    },
  }
}
