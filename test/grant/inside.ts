/** The client that runs inside: asks the proxy it was told of, says something, prints what comes back. */

/** Arguments: host:port, and what to say through the tunnel. `hold` leaves the tunnel open. */
export const CLIENT = `
const [target, text = 'hello', hold] = process.argv.slice(2)
const { hostname, port } = new URL(process.env.HTTPS_PROXY)
const socket = require('node:net').connect(port, hostname)
socket.write('CONNECT ' + target + ' HTTP/1.1\\r\\n\\r\\n')
let open = false
socket.on('data', (chunk) => {
  if (open || !/^HTTP.1.1 200 /.test(chunk)) {
    console.log(open ? String(chunk) : String(chunk).split('\\r\\n')[0])
    if (!hold) process.exit(0)
    return
  }
  open = true
  socket.write(text)
})
socket.on('error', (error) => { console.log(error.code); process.exit(1) })
socket.on('close', () => { console.log('closed'); process.exit(1) })
`

/** The line that runs it. */
export function clientLine(...words: readonly string[]): string {
  return ['node', 'client.cjs', ...words].join(' ')
}
