/** The public names of `sixgate/shell`. */

export { analyse } from './analyse.js'
export { shellReport } from './report.js'

export type { ShellReport } from './report.js'
export type {
  CommandAnalysis,
  FileOperation,
  HostOperation,
  Refusal,
  RefusalCode,
  SimpleCommand,
} from '../core/need.js'
