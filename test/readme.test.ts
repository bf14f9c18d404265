import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import manifest from '../package.json' with { type: 'json' };
import { loadCommands } from '../src/commands/command-groups.ts';
import { NODE_VARIABLE, VARIABLES } from '../src/config.ts';
import { freePort } from './support/postgres.ts';
import { without } from './support/programs.ts';

const ROOT = path.join(import.meta.dirname, '..');
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...readdirSync(path.join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];
const readme = read('README.md');

/** Code may contain Markdown of its own, such as a template. */
function withoutCode(text: string): string {
  return text.replace(/^```.*?^```/gms, '');
}

describe('the README', () => {
  it('lists every configuration variable with its default and purpose', () => {
    const [, section = ''] = readme.split('## Configuration\n');
    const rows = section
      .split('\n## ')[0]
      ?.match(/^\| `.*$/gm)
      ?.map((row) => row.replace(/ +\|/g, ' |'));
    const expected = [...Object.values(VARIABLES), NODE_VARIABLE].map(
      ({ name, shownDefault, about }) => `| \`${name}\` | ${shownDefault} | ${about} |`,
    );
    assert.deepEqual(rows, expected);
  });

  it('shows commands that work in order and print the shown output', { skip: without('curl') }, async () => {
    const shell = promisify(execFile);
    const directory = mkdtempSync(path.join(tmpdir(), 'doorlist-readme-'));
    const port = await freePort();
    const environment = { ...process.env, PORT: String(port), DOORLIST_DATA_DIR: directory };
    const server = spawn(process.execPath, ['src/main.ts', 'serve'], { cwd: ROOT, env: environment });
    try {
      const [start, ...steps] = commandsWithAnswers(readme);
      assert.match(start?.command ?? '', /^git clone \S+ doorlist && cd doorlist\nnpm ci && npm start$/);
      const said = await new Promise<string>((resolve, reject) => {
        server.stderr.once('data', (text) => resolve(String(text)));
        server.once('exit', () => reject(new Error('it ended')));
      });
      const elsewhere = `  export DOORLIST_DATA_DIR='${directory}'\n`;
      assert.ok(said.includes(elsewhere), 'the commands would use another directory');
      const usual = said.replace(elsewhere, '').replace(directory, './data');
      assert.equal(blur(usual, port).trim(), blur(start?.answer ?? '', 3000));

      const script = steps.map(({ command }, index) => {
        const local = command
          .replaceAll('127.0.0.1:3000', `127.0.0.1:${port}`)
          .replace(/^CODE=.*$/m, `CODE=$(head -1 ${directory}/${index - 1}.answer)`);
        return `{\n${local}\n} > ${directory}/${index}.answer 2>> ${directory}/errors\n`;
      });
      await shell('sh', ['-c', script.join('')], { cwd: ROOT, env: environment });
      const errors = readFileSync(`${directory}/errors`, 'utf8');
      for (const [index, { command, answer }] of steps.entries()) {
        const given = readFileSync(`${directory}/${index}.answer`, 'utf8');
        assert.equal(blur(given, port), blur(answer, 3000), `${command}\n${given}\n${errors}`);
      }
    } finally {
      server.kill();
      await new Promise((resolve) => server.once('exit', resolve));
      rmSync(directory, { recursive: true, force: true });
    }
  });
});

interface Step {
  command: string;
  answer: string;
}

/** The blocks of shell that are followed by a block with what they print. */
function commandsWithAnswers(page: string): Step[] {
  const pattern = /```sh\n([^`]*)\n```\n\n```(?:json|text)\n([^`]*)\n```/g;
  return [...page.matchAll(pattern)].map(([, command = '', answer = '']) => ({ command, answer }));
}

/** Without what differs from one run to the next. */
function blur(text: string, port: number): string {
  return text
    .replaceAll(String(port), 'PORT')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replace(/\b(ent|inv)_[0-9a-z]{26}\b/g, '$1_ID')
    .replace(/"referralCode":"[0-9a-z]{8}"/g, '"referralCode":"CODE"')
    .replace(/\/setup\/[\w-]{43}$/gm, '/setup/TOKEN')
    .replace(/^[0-9a-z]{32}$/gm, 'CODE')
    .trimEnd();
}

describe('the documentation', () => {
  it('names only commands and flags that exist', async () => {
    const commands = await loadCommands();
    for (const page of PAGES) {
      for (const [line, words = ''] of read(page).matchAll(/npm run -s doorlist -- ([^\n`)|]+)/g)) {
        const command = commands.find(({ name }) => `${words} `.startsWith(`${name} `));
        assert.ok(command || words === 'help', `${page}: ${line}`);
        for (const [, flag = ''] of words.matchAll(/--([a-z-]+)/g)) {
          assert.ok({ ...command?.flags, json: true, help: true }[flag], `${page}: --${flag} in ${line}`);
        }
      }
      for (const [line, script = ''] of read(page).matchAll(/(?<=^|`|&& )npm (?:run (?!-s))?([a-z:]+)/gm)) {
        assert.ok(
          script in manifest.scripts || ['ci', 'install', 'prune', 'run'].includes(script),
          `${page}: ${line}`,
        );
      }
    }
  });

  it('has no broken links', () => {
    for (const page of PAGES) {
      for (const [link, target = ''] of withoutCode(read(page)).matchAll(/\]\((?!https:)([^)]+)\)/g)) {
        const [file = '', anchor] = target.split('#');
        const absolute = file === '' ? path.join(ROOT, page) : path.join(ROOT, path.dirname(page), file);
        assert.ok(existsSync(absolute), `${page}: ${link}`);
        if (anchor === undefined) continue;
        const anchors = [...readFileSync(absolute, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
          title
            .toLowerCase()
            .replace(/[^\w -]/g, '')
            .replaceAll(' ', '-'),
        );
        assert.ok(anchors.includes(anchor), `${page}: ${link}`);
      }
    }
  });

  it('gives a reason for every dependency, and for no others', () => {
    const [, section = ''] = read('docs/architecture.md').split('\n## Dependencies\n');
    const rows = section.match(/^\| `[^|]*/gm)?.flatMap((cell) => cell.match(/(?<=`)[^`]+(?=`)/g) ?? []);
    const reasons = rows?.filter((name) => name !== ', ');
    const dependencies = Object.keys({
      ...manifest.dependencies,
      ...manifest.optionalDependencies,
      ...manifest.devDependencies,
    });
    assert.deepEqual(reasons?.sort(), dependencies.sort());
  });

  it('shows the folders as they are', () => {
    const [, tree = ''] = /```text\n(src\/[\s\S]*?)```/.exec(read('docs/architecture.md')) ?? [];
    const parents: string[] = [];
    const drawn = tree
      .trimEnd()
      .split('\n')
      .map((line) => {
        const name = line.trim().split(/\s+/)[0] ?? '';
        parents.length = (line.length - line.trimStart().length) / 2;
        parents.push(name);
        return parents.join('');
      });
    for (const name of drawn) assert.ok(existsSync(path.join(ROOT, name)), `${name} is drawn, but not there`);
    for (const name of readdirSync(path.join(ROOT, 'src'))) {
      if (name.endsWith('.test.ts')) continue;
      assert.ok(
        drawn.some((each) => each.startsWith(`src/${name}`)),
        `src/${name} is there, but not drawn`,
      );
    }
  });
});
