import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from './free-port.ts';
import { eventually } from './harness.ts';
import { findProgram } from './programs.ts';

export const PREFIX = '/tools/waitlist';

/** A proxy that shares its host with others: only what is below the prefix reaches the service. */
export interface ReverseProxy {
  /** The public URL of the service behind it. */
  publicUrl: string;
  origin: string;
  /** The service has to know the public URL before it starts. */
  leadTo(port: number): Promise<void>;
  close(): Promise<void>;
}

/** Proxies differ in whether they remove the prefix. */
type PrefixHandling = 'removes' | 'keeps';

export async function startNodeProxy(prefix: PrefixHandling): Promise<ReverseProxy> {
  let port = 0;
  const server = createServer((incoming, outgoing) => {
    const { url = '/', method, headers } = incoming;
    if (url !== PREFIX && !url.startsWith(`${PREFIX}/`)) {
      outgoing.writeHead(404).end('another site');
      return;
    }
    const rest = prefix === 'removes' ? url.slice(PREFIX.length) || '/' : url;
    const forwarded = { ...headers, 'x-forwarded-for': incoming.socket.remoteAddress ?? '' };
    const passing = request({ host: '127.0.0.1', port, path: rest, method, headers: forwarded }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(outgoing);
    });
    passing.on('error', () => outgoing.destroy());
    outgoing.on('close', () => passing.destroy());
    incoming.pipe(passing);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    publicUrl: origin + PREFIX,
    leadTo: async (to) => {
      port = to;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export async function startNginx(prefix: PrefixHandling): Promise<ReverseProxy> {
  const directory = mkdtempSync(path.join(tmpdir(), 'doorlist-nginx-'));
  const listen = await freePort();
  const origin = `http://127.0.0.1:${listen}`;
  let running: ReturnType<typeof spawn> | undefined;
  return {
    origin,
    publicUrl: origin + PREFIX,
    leadTo: async (port) => {
      const file = path.join(directory, 'nginx.conf');
      writeFileSync(file, configuration({ directory, listen, port, prefix }));
      running = spawn(findProgram('nginx') ?? 'nginx', [
        '-p',
        directory,
        '-c',
        file,
        '-e',
        path.join(directory, 'error.log'),
      ]);
      await eventually(
        () =>
          fetch(origin).then(
            () => true,
            () => false,
          ),
        (isUp) => isUp,
      );
    },
    close: async () => {
      if (running && running.exitCode === null) {
        const ended = once(running, 'exit');
        running.kill('SIGTERM');
        await ended;
      }
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function configuration(at: {
  directory: string;
  listen: number;
  port: number;
  prefix: PrefixHandling;
}): string {
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `daemon off;
worker_processes 1;
pid ${at.directory}/nginx.pid;
events {}
http {
  access_log off;
  ${places.map((name) => `${name}_temp_path ${at.directory}/${name};`).join('\n  ')}
  server {
    listen 127.0.0.1:${at.listen};
    location ${PREFIX}/ {
      proxy_pass http://127.0.0.1:${at.port}${at.prefix === 'removes' ? '/' : ''};
      proxy_http_version 1.1;
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $remote_addr;
    }
    location / { return 404; }
  }
}
`;
}
