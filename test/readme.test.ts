import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import manifest from '../package.json' with { type: 'json' };
import { loadCommands } from '../src/commands/command-groups.ts';
import { NODE_VARIABLE, VARIABLES } from '../src/config/variables.ts';

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
});

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
          script in manifest.scripts ||
            ['ci', 'install', 'pack', 'prune', 'publish', 'run', 'version'].includes(script),
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
