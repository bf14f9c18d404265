import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import manifest from '../package.json' with { type: 'json' };
import { loadCommands } from '../src/commands/command-groups.ts';
import { checkCommand } from '../src/commands/command-line.ts';
import { NODE_VARIABLE, SOURCES_VARIABLE, VARIABLES } from '../src/config/variables.ts';

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

/** The words of each command that readers type, and of those in the text that have more than a name. */
function commandsIn(page: string, names: readonly string[]): string[][] {
  const whole = page.replace(/\\\n\s*/g, ' ').matchAll(/npm run -s doorlist -- (?!help\b)([^\n]+)/g);
  const spans = withoutCode(page).matchAll(/`((?!npm )[^`\n]+)`/g);
  const named = [...spans].filter(([, span = '']) => names.some((name) => span.startsWith(`${name} `)));
  return [...whole, ...named.filter(([, span = '']) => !names.includes(span))].map(([, text = '']) =>
    wordsOf(text),
  );
}

/** As a shell splits them, up to the end of the command. */
function wordsOf(text: string): string[] {
  const [command = ''] = /^(?:'[^']*'|"[^"]*"|[^'"|;&)`<>#])*/.exec(text) ?? [];
  return [...command.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) => word.replace(/['"]/g, ''));
}

describe('the README', () => {
  it('lists every configuration variable with its default and purpose', () => {
    const [, section = ''] = readme.split('## Configuration\n');
    const rows = section
      .split('\n## ')[0]
      ?.match(/^\| `.*$/gm)
      ?.map((row) => row.replace(/ +\|/g, ' |'));
    const expected = [...Object.values(VARIABLES), NODE_VARIABLE, SOURCES_VARIABLE].map(
      ({ name, shownDefault, about }) => `| \`${name}\` | ${shownDefault} | ${about} |`,
    );
    assert.deepEqual(rows, expected);
  });
});

describe('the documentation', () => {
  it('has only commands that the command line understands, with all the options that they need', async () => {
    const names = (await loadCommands()).map(({ name }) => name);
    const wrong: string[] = [];
    let count = 0;
    for (const page of [...PAGES, 'packages/client/README.md']) {
      for (const words of commandsIn(read(page), names)) {
        count += 1;
        await checkCommand(words).catch(({ message }: Error) =>
          wrong.push(`${page}: ${words.join(' ')}: ${message.split('\n')[0]}`),
        );
      }
    }
    assert.deepEqual(wrong, []);
    assert.ok(count > 130, `only ${count} commands were found`);
  });

  it('has no placeholder that nobody can fill in', () => {
    for (const page of [...PAGES, 'packages/client/README.md'])
      assert.doesNotMatch(read(page), /REPOSITORY/, page);
  });

  it('names only scripts that exist', () => {
    for (const page of PAGES) {
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
