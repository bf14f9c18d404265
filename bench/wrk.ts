import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

interface Load {
  url: string;
  /** Lua for wrk: generates each request. */
  script: string;
  seconds: number;
  connections?: number;
}

export interface Measured {
  requests: number;
  perSecond: number;
  refused: number;
  /** Half of the requests were answered in this time. */
  p50: string;
  p99: string;
}

/** wrk is a Debian package. It is installed if we are root, otherwise the caller gets an error. */
export function requireWrk(): void {
  if (spawnSync('wrk', ['--version']).error === undefined) return;
  if (process.getuid?.() === 0 && spawnSync('apt-get', ['--version']).error === undefined) {
    execFileSync('apt-get', ['update', '-qq']);
    execFileSync('apt-get', ['install', '-y', '-qq', 'wrk'], { stdio: 'ignore' });
    return;
  }
  throw new Error('the benchmarks need wrk: apt-get install wrk');
}

export async function runWrk({ url, script, seconds, connections = 64 }: Load): Promise<Measured> {
  const directory = mkdtempSync(path.join(tmpdir(), 'doorlist-wrk-'));
  try {
    const file = path.join(directory, 'load.lua');
    writeFileSync(file, script);
    const words = ['-t1', `-c${connections}`, `-d${seconds}s`, '--latency', '-s', file, url];
    const { stdout: output } = await promisify(execFile)('wrk', words);
    return {
      requests: Number(/(\d+) requests in/.exec(output)?.[1] ?? 0),
      perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(output)?.[1] ?? 0),
      refused: Number(/Non-2xx or 3xx responses: (\d+)/.exec(output)?.[1] ?? 0),
      p50: /^ +50% +(\S+)/m.exec(output)?.[1] ?? '?',
      p99: /^ +99% +(\S+)/m.exec(output)?.[1] ?? '?',
    };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Of a time as wrk prints it: `850.00us`, `12.50ms`, `1.20s`. */
export function millisecondsOf(time: string): number {
  const [, number, unit = ''] = /^([\d.]+)(us|ms|s|m)$/.exec(time) ?? [];
  return Number(number) * ({ us: 0.001, ms: 1, s: 1_000, m: 60_000 }[unit] ?? Number.NaN);
}

let run = 0;

/** Lua that posts one signup with a new email, and metadata if given. */
export function signupScript(path: string, key: string, metadata?: Record<string, string>): string {
  run += 1;
  const more = metadata ? `,"metadata":${JSON.stringify(metadata)}` : '';
  return `
    wrk.method = "POST"
    wrk.headers["content-type"] = "application/json"
    wrk.headers["authorization"] = "Bearer ${key}"
    local i = 0
    request = function()
      i = i + 1
      return wrk.format(nil, "${path}", nil,
        '{"waitlistId":"wl_bench","entries":[{"email":"user' .. i .. 'r${run}t${process.pid}@example.com"${more}}]}')
    end`;
}

/** Lua that joins better-auth-waitlist with a new email. */
export function peerSignupScript(): string {
  run += 1;
  return `
    wrk.method = "POST"
    wrk.headers["content-type"] = "application/json"
    local i = 0
    request = function()
      i = i + 1
      return wrk.format(nil, "/api/auth/waitlist/join", nil,
        '{"email":"user' .. i .. 'r${run}t${process.pid}@example.com"}')
    end`;
}

/** Lua that posts the bodies in turn. Each connection waits before it posts again. */
export function postScript(path: string, bodies: readonly string[], delayMs: number): string {
  return `
    wrk.method = "POST"
    wrk.headers["content-type"] = "application/json"
    local bodies = {${bodies.map((body) => `[==[${body}]==]`).join(', ')}}
    local i = 0
    request = function()
      i = i % #bodies + 1
      return wrk.format(nil, "${path}", nil, bodies[i])
    end
    delay = function() return ${delayMs} end`;
}

/** Lua that gets the paths \`before .. n .. after\` for n from 1 to most, in a scattered order. */
export function getScript(before: string, after: string, most: number, key: string): string {
  return `
    wrk.headers["authorization"] = "Bearer ${key}"
    local i = 0
    request = function()
      i = i + 7919
      return wrk.format("GET", "${before}" .. (i % ${most} + 1) .. "${after}")
    end`;
}

/** Lua that gets the path returned by `path`, a Lua expression, for each request. */
export function randomGetScript(path: string, key: string): string {
  return `
    wrk.headers["authorization"] = "Bearer ${key}"
    request = function()
      return wrk.format("GET", ${path})
    end`;
}
