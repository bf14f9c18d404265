import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { loadCommands } from '../src/commands/command-groups.ts';
import { without } from './support/programs.ts';
import { typed } from './support/terminal.ts';

/** What was typed, ending with the word at the cursor, and what it can become. */
const TYPED: [string[], string[]][] = [
  [['key', 'cr'], ['create']],
  [['key', 'create', '--wa'], ['--waitlist']],
  [['key', 'create', '--waitlist', 'wl_acme', '--r'], ['--read']],
  [['entry', 'remove', 'ada@example.com', '--never'], ['--never-joined']],
  [['master-key', 'rot'], ['rotate']],
  [['key', 'create', '--waitlist', 'wl_nothing'], []],
];

describe('the completion of commands', () => {
  let directory: string;
  before(() => {
    directory = mkdtempSync(path.join(tmpdir(), 'doorlist-completion-'));
  });
  after(() => rmSync(directory, { recursive: true }));

  const scriptFor = async (shell: string) => {
    const { code, out } = await typed({}, 'completion', shell);
    assert.equal(code, 0);
    const file = path.join(directory, shell);
    writeFileSync(file, out);
    return file;
  };
  const run = (program: string, ...words: string[]) =>
    execFileSync(program, words, { cwd: directory, encoding: 'utf8' });
  const wordsIn = (text: string) => text.split(/\s+/).filter(Boolean);

  it('works in bash, for every command and flag', async () => {
    const file = await scriptFor('bash');
    const script = `source ${file}
      complete -p doorlist > /dev/null || exit 1
      while read -r -a COMP_WORDS; do
        COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
        [[ \${COMP_WORDS[COMP_CWORD]} == . ]] && COMP_WORDS[COMP_CWORD]=''
        _doorlist
        echo "\${COMPREPLY[*]}"
      done`;
    const answersTo = (lines: string[][]) =>
      execFileSync('bash', ['--norc', '-c', script], {
        cwd: directory,
        encoding: 'utf8',
        input: lines.map((words) => `doorlist ${words.join(' ')}\n`).join(''),
      })
        .split('\n')
        .map(wordsIn);
    const given = TYPED.map(([words]) => words);
    assert.deepEqual(
      answersTo(given).slice(0, -1),
      TYPED.map(([, wanted]) => wanted),
    );

    const commands = await loadCommands();
    const answers = answersTo(commands.map(({ name }) => [...name.split(' '), '--']));
    for (const [at, { name, flags = {} }] of commands.entries())
      for (const flag of [...Object.keys(flags), 'json', 'help'])
        assert.ok(answers[at]?.includes(`--${flag}`), `${name} --${flag}`);
    const groups = [...new Set(commands.map(({ name }) => name.split(' ')[0] ?? ''))];
    assert.deepEqual(answersTo([['.']])[0], groups.sort());
  });

  it('works in zsh', { skip: without('Zsh') }, async () => {
    const file = await scriptFor('zsh');
    for (const [words, wanted] of TYPED) {
      const quoted = ['doorlist', ...words].map((word) => `'${word}'`).join(' ');
      const out = run(
        'zsh',
        '-fc',
        // The completion system itself needs a terminal. It leaves out what does not begin as the word at the cursor.
        `compdef() { :; }; _files() { :; }
        compadd() { shift; for each in "$@"; do [[ $each == $words[CURRENT]* ]] && print -r -- $each; done; }
        source ${file}; words=(${quoted}); CURRENT=$#words; _doorlist; true`,
      );
      assert.deepEqual(wordsIn(out), wanted, words.join(' '));
    }
  });

  it('works in fish', { skip: without('fish') }, async () => {
    const file = await scriptFor('fish');
    for (const [words, wanted] of TYPED) {
      const out = run(
        'fish',
        '--no-config',
        '-c',
        `source ${file}; complete -C 'doorlist ${words.join(' ')}'`,
      );
      assert.deepEqual(wordsIn(out), wanted, words.join(' '));
    }
  });

  it('is refused for other shells', async () => {
    const { code, error } = await typed({}, 'completion', 'csh');
    assert.deepEqual([code, error], [2, 'doorlist: SHELL: must be bash, zsh, fish']);
  });
});

describe('an unknown command', () => {
  const said = async (...words: string[]) => {
    const { code, error } = await typed({}, ...words);
    assert.equal(code, 2);
    assert.ok(error.split('\n').length <= 4, error);
    return error;
  };

  it('gets the nearest name, the commands of its group, and where all are listed', async () => {
    assert.match(
      await said('kye', 'create'),
      /unknown command "kye create"\. Did you mean key create\?\n.* help` lists all commands\.$/,
    );
    assert.match(await said('wavess'), /Did you mean wave\?/);
    assert.match(await said('statsu'), /Did you mean status\?/);
    assert.match(
      await said('key', 'crate'),
      /Did you mean key create\?\nThere are key create, key list, .*\n.* help key` explains them\.$/,
    );
    assert.match(await said('mail', 'zzz'), /unknown command "mail zzz"\.\n.* help mail` explains them\.$/);
    assert.match(
      await said('something', '--else'),
      /unknown command "something"\.\n.* help` lists all commands\.$/,
    );
    assert.match(await said('help', 'kye'), /Did you mean key\?/);
  });
});
