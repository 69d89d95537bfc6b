/** Sizes and places of the broker's structures on 64-bit Windows, as Microsoft documents them. */

export const LAYOUT: Readonly<Record<string, number>> = {
  SecurityAttributes: 24,
  SecurityCapabilities: 24,
  StartupInfo: 104,
  StartupInfoEx: 112,
  ProcessInformation: 24,
  BasicLimits: 64,
  IoCounters: 48,
  ExtendedLimits: 144,
  FileInformation: 52,
  'StartupInfo.Flags': 60,
  'StartupInfo.Input': 80,
  'BasicLimits.Flags': 16,
  'BasicLimits.ActiveProcesses': 40,
  'ExtendedLimits.ProcessMemory': 112,
  'ExtendedLimits.JobMemory': 120,
  'StartupInfoEx.Attributes': 104,
  'SecurityCapabilities.Count': 16,
}
