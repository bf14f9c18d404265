import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startProcess } from './process.ts';
import { findProgram } from './programs.ts';
import { type Served, serveHere } from './serve-here.ts';
import { runHere } from './terminal.ts';

const ROOT = path.join(import.meta.dirname, '../..');

export const PAGES = [
  'README.md',
  'packages/client/README.md',
  ...readdirSync(path.join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

/** After the language of a block: it needs another machine, or never ends. GitHub does not show the word. */
const NOT_RUN = 'norun';

interface Step {
  command: string;
  /** What the page shows below it. */
  answer: string | undefined;
}

export interface Installation {
  server: Served;
  environment: Record<string, string>;
  /** Runs blocks in one shell, in their order, and returns what each of them printed. */
  run(commands: readonly string[]): Promise<string[]>;
  close(): Promise<void>;
}

export function readPage(page: string): string {
  return readFileSync(path.join(ROOT, page), 'utf8');
}

/** The blocks of shell, each with the block of output right below it. */
export function stepsOf(text: string): { run: Step[]; left: Step[] } {
  const pattern = /^```sh( \w+)?\n(.*?)^```$(?:\n\n^```(?:text|json)\n(.*?)^```$)?/gms;
  const blocks = [...text.matchAll(pattern)].map(([, mark = '', command = '', answer]) => ({
    ...{ mark: mark.trim(), command, answer },
  }));
  return {
    run: blocks.filter(({ mark }) => mark !== NOT_RUN),
    left: blocks.filter(({ mark }) => mark === NOT_RUN),
  };
}

/** A server on a new `./data` of a new working directory, and a shell in it whose `npm run` commands run in this process. */
export async function installFor(
  environment: Record<string, string>,
  { ownProcess = false } = {},
): Promise<Installation> {
  const before = process.cwd();
  const directory = mkdtempSync(path.join(tmpdir(), 'doorlist-page-'));
  process.chdir(directory);
  const commands = await answerCommands(environment);
  mkdirSync('bin');
  // A failure inside of a pipe does not end the shell.
  script(
    'curl',
    `'${findProgram('curl')}' --silent --show-error --fail-with-body "$@" || { echo "curl $*" >> "${directory}/failed"; exit 22; }`,
  );
  script(
    'npm',
    `printf '%s\\0' "$@" | '${findProgram('curl')}' --silent --fail-with-body --data-binary @- ${commands.url} || { echo "npm $*" >> "${directory}/failed"; exit 1; }`,
  );
  const server = await (ownProcess ? startProcess : serveHere)(environment);
  return {
    server,
    environment,
    run: async (blocks) => {
      const text = blocks.map((block, index) => `exec > '${directory}/${index}.out'\n${block}\n`);
      const env = { PATH: `${directory}/bin:${process.env.PATH}`, HOME: directory };
      const ended = await new Promise<string>((resolve) => {
        execFile('sh', ['-euc', text.join('')], { cwd: directory, env }, (error, _, stderr) =>
          resolve(error ? `it ended with ${error.code}: ${stderr}` : ''),
        );
      });
      const printed = blocks.map((_, index) => contentOf(`${index}.out`));
      const failed = `${contentOf('failed')}${ended}${commands.errors.join('')}`;
      if (ended || contentOf('failed')) {
        const last = printed.findLastIndex((_, index) => existsSync(`${index}.out`));
        throw new Error(`${failed}\nin or before:\n${blocks[last]}\nwhich printed:\n${printed[last]}`);
      }
      return printed;
    },
    close: async () => {
      await server.stop();
      await commands.close();
      process.chdir(before);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function script(name: string, text: string): void {
  writeFileSync(`bin/${name}`, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
}

function contentOf(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

/** Runs the words of `npm run -s doorlist -- WORDS…` that are posted to it, because a process for each takes half a second. */
async function answerCommands(environment: Record<string, string>) {
  const errors: string[] = [];
  const http = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const [run, silent, name, dashes, ...words] = body.split('\0').slice(0, -1);
    if ([run, silent, name, dashes].join(' ') !== 'run -s doorlist --') {
      errors.push(`npm ${run} cannot run in a test\n`);
      return response.writeHead(400).end();
    }
    const { code, stdout, stderr } = await runHere(environment, ...words);
    if (code !== 0) errors.push(`${words.join(' ')}: ${stderr}`);
    response.writeHead(code === 0 ? 200 : 400).end(stdout);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/`,
    errors,
    close: () => new Promise<unknown>((resolve) => http.close(resolve)),
  };
}

/** Without what differs from one run to the next. */
export function blur(text: string): string {
  return text
    .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replace(/\b(ent|inv|evt|job|whe|key)_[0-9a-z]{26}\b/g, '$1_ID')
    .replace(/"referralCode":"[0-9a-z]{8}"/g, '"referralCode":"CODE"')
    .replace(/\/setup\/[\w-]{43}$/gm, '/setup/TOKEN')
    .replace(/^[0-9a-z]{32}$/gm, 'CODE')
    .replace(/\bSHA-256 [0-9a-f]{64}$/gm, 'SHA-256 HASH')
    .replace(/\b(Doorlist|Node|schema version) \d[\d.]*/g, '$1 VERSION')
    .replace(/\b[\d.]+ (?:[KMGT]iB|bytes)/g, 'SIZE')
    .replace(/\b\d+ records?$/gm, 'N records')
    .replace(/^.*passphrase.*:\n/gim, '') // Only asked on a terminal.
    .trimEnd();
}
