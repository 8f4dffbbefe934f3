import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../support/local-server.js'
import { processorSeconds } from './footprint.js'
import type { RunningProcess } from './processes.js'

/**
 * Starts an nginx that serves the files of a folder with sendfile, in one process.
 *
 * @param work an empty folder
 * @returns null when nginx is not on the path
 */
export async function startNginx(
  files: string,
  work: string,
): Promise<Pick<RunningProcess, 'url' | 'cpuMs' | 'stop'> | null> {
  const port = await freePort()
  mkdirSync(work)
  const conf = join(work, 'nginx.conf')
  writeFileSync(
    conf,
    `daemon off; master_process off; pid ${work}/pid; error_log stderr crit; events { worker_connections 512; }
http { access_log off; sendfile on; tcp_nopush on; client_body_temp_path ${work}; proxy_temp_path ${work};
fastcgi_temp_path ${work}; uwsgi_temp_path ${work}; scgi_temp_path ${work};
server { listen 127.0.0.1:${port}; root ${files}; } }\n`,
  )
  const child = spawn('nginx', ['-c', conf], { stdio: 'ignore' })
  const missing = once(child, 'error').then(() => true)
  const url = `http://127.0.0.1:${port}`
  for (let attempt = 0; attempt < 100; attempt += 1) {
    if (await Promise.race([missing, sleep(50, false)])) {
      return null
    }
    if ((await fetch(url).catch(() => null)) !== null) {
      break
    }
  }
  return {
    url,
    cpuMs: () => processorSeconds(Number(child.pid)) * 1_000,
    stop: async () => {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}
