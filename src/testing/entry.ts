/** The public names of `sixgate/testing`. */

export { autoAccept } from './auto-accept.js'
export { createTestSixgate } from './create-test-sixgate.js'
export { fakeClock } from './fake-clock.js'
export { fakeSandbox } from './fake-sandbox.js'
export { parseCases } from './case-format.js'
export { runCase, runCases } from './run-cases.js'
export { scriptedResponder } from './scripted-responder.js'
export { seededIds } from './seeded-ids.js'
export { memoryStore } from '../store/memory.js'

export type { CaseDecision, CaseResponder, CaseTool, PolicyCase } from './case-format.js'
export type { CaseEnd, CaseReport } from './run-cases.js'
export type { FakeClock } from './fake-clock.js'
export type { FakeSandboxOptions } from './fake-sandbox.js'
export type { Script, ScriptedResponder } from './scripted-responder.js'
export type { TestOverrides } from './create-test-sixgate.js'
export type { VirtualHardLinks, VirtualLinks } from './virtual-path-resolver.js'
