/** The script that PowerShell is given: it compiles or loads the broker and hands its streams over (sandbox.md §6). */

/**
 * Small, because a command line holds 32,767 characters: the broker itself comes by the first frame. It
 * must not name the variable for piped input, or PowerShell reads standard input itself.
 */
const SCRIPT = `$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'
$WarningPreference = 'SilentlyContinue'
Set-StrictMode -Version 3.0
$from = [Console]::OpenStandardInput()
$to = [Console]::OpenStandardOutput()
function Get-Exactly([int] $count) {
  $bytes = [byte[]]::new($count)
  $at = 0
  while ($at -lt $count) {
    $read = $from.Read($bytes, $at, $count - $at)
    if ($read -le 0) { exit 1 }
    $at += $read
  }
  , $bytes
}
function Send-Frame([char] $kind, [byte[]] $body) {
  $to.WriteByte([byte] $kind)
  $to.Write([BitConverter]::GetBytes([uint32] $body.Length), 0, 4)
  $to.Write($body, 0, $body.Length)
  $to.Flush()
}
try {
  $env:PSModulePath = [IO.Path]::Combine($PSHOME, 'Modules')
  $head = Get-Exactly 5
  $length = [BitConverter]::ToUInt32($head, 1)
  if ($length -gt 1048576) { throw 'the broker is too long' }
  $image = Get-Exactly $length
  if ($head[0] -eq [byte][char] 'C') {
    $folder = [IO.Path]::Combine([IO.Path]::GetTempPath(), [Guid]::NewGuid().ToString('N'))
    [void] [IO.Directory]::CreateDirectory($folder)
    try {
      $module = [IO.Path]::Combine($env:PSModulePath, 'Microsoft.PowerShell.Utility')
      Import-Module ([IO.Path]::Combine($module, 'Microsoft.PowerShell.Utility.psd1'))
      $file = [IO.Path]::Combine($folder, 'broker.dll')
      $source = [Text.Encoding]::UTF8.GetString($image)
      Add-Type -TypeDefinition $source -OutputAssembly $file -OutputType Library -IgnoreWarnings
      $image = [IO.File]::ReadAllBytes($file)
    } finally {
      [IO.Directory]::Delete($folder, $true)
    }
    Send-Frame 'A' $image
  } elseif ($head[0] -ne [byte][char] 'B') {
    throw 'the first frame is no broker'
  }
  $assembly = [Reflection.Assembly]::Load([byte[]] $image)
  $broker = $assembly.GetType('Sixgate.Broker', $true)
} catch {
  $detail = [Text.Encoding]::UTF8.GetBytes("bootstrap$([char] 0)$($_.Exception.Message)")
  Send-Frame 'F' $detail
  exit 1
}
$code = $broker::Run($from, $to)
exit $code
`

/** UTF-16, lowest byte first, in base64, as `-EncodedCommand` wants it. */
export function encodedCommand(script: string): string {
  const bytes = new Uint8Array(script.length * 2)
  const view = new DataView(bytes.buffer)
  for (let at = 0; at < script.length; at += 1) view.setUint16(at * 2, script.charCodeAt(at), true)
  return btoa(String.fromCharCode(...bytes))
}

/** The words after PowerShell's own path: no profile, no questions, nothing that a shell reads. */
export const BROKER_ARGS: readonly string[] = [
  '-NoLogo',
  '-NoProfile',
  '-NonInteractive',
  '-EncodedCommand',
  encodedCommand(SCRIPT),
]
