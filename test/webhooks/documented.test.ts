import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { type ProgramName, without } from '../support/programs.ts';

const GUIDE = readFileSync(path.join(import.meta.dirname, '../../docs/webhooks.md'), 'utf8');
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

interface Language {
  name: ProgramName | 'Node';
  /** As the fence in the guide names it. */
  fence: string;
  program: string;
  /** Files to run: the code of the guide, and what hands a delivery to it and prints its verdict. */
  files(code: string): Record<string, string>;
  run: string[];
}

/** What is read: the JSON of a body, headers and a secret. What is printed: true or false. */
const LANGUAGES: Language[] = [
  {
    name: 'Node',
    fence: 'js',
    program: process.execPath,
    files: (code) => ({
      'main.mjs': `import { readFileSync } from 'node:fs';\n${code}
const { body, headers, secret } = JSON.parse(readFileSync(0, 'utf8'));
console.log(isGenuine(body, headers, secret));`,
    }),
    run: ['main.mjs'],
  },
  {
    name: 'Python',
    fence: 'python',
    program: 'python3',
    files: (code) => ({
      'main.py': `import json, sys\n${code}
given = json.load(sys.stdin)
print(str(is_genuine(given["body"].encode(), given["headers"], given["secret"])).lower())`,
    }),
    run: ['main.py'],
  },
  {
    name: 'Go',
    fence: 'go',
    program: 'go',
    files: (code) => ({
      'verify.go': `package main\n\n${code}`,
      'main.go': `package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
)

func main() {
	var given struct {
		Body, Secret string
		Headers map[string]string
	}
	if err := json.NewDecoder(os.Stdin).Decode(&given); err != nil {
		panic(err)
	}
	headers := http.Header{}
	for name, value := range given.Headers {
		headers.Set(name, value)
	}
	fmt.Println(isGenuine([]byte(given.Body), headers, given.Secret))
}`,
    }),
    run: ['run', 'verify.go', 'main.go'],
  },
  {
    name: 'Ruby',
    fence: 'ruby',
    program: 'ruby',
    files: (code) => ({
      'main.rb': `require 'json'\n${code}
given = JSON.parse($stdin.read)
puts genuine?(given['body'], given['headers'], given['secret'])`,
    }),
    run: ['main.rb'],
  },
  {
    name: 'PHP',
    fence: 'php',
    program: 'php',
    files: (code) => ({
      'main.php': `<?php\n${code}
$given = json_decode(file_get_contents('php://stdin'), true);
echo isGenuine($given['body'], $given['headers'], $given['secret']) ? 'true' : 'false';`,
    }),
    run: ['main.php'],
  },
];

/** The last piece of code in that language: the one that does without a library. */
function codeIn(fence: string): string {
  const found = [...GUIDE.matchAll(new RegExp(`^\`\`\`${fence}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].at(-1)?.[1];
  assert.ok(found, `the guide has nothing in ${fence}`);
  return found;
}

function deliver(body: string, at = new Date()) {
  const id = 'evt_1';
  const headers = {
    'wh-id': id,
    'wh-timestamp': String(Math.floor(at.getTime() / 1000)),
    'wh-signature': `v1,AAAA ${new Webhook(SECRET).sign(id, at, body)}`,
  };
  return { body, headers, secret: SECRET };
}

describe('the webhook guide', () => {
  let directory: string;
  before(() => {
    directory = mkdtempSync(path.join(tmpdir(), 'doorlist-guide-'));
  });
  after(() => rmSync(directory, { recursive: true, force: true }));

  for (const { name, fence, program, files, run } of LANGUAGES) {
    const skip = name !== 'Node' && without(name);
    it(`has code for ${name} that tells a genuine delivery from others`, { skip }, () => {
      for (const [file, text] of Object.entries(files(codeIn(fence))))
        writeFileSync(path.join(directory, file), text);
      const verdict = (delivery: ReturnType<typeof deliver>) => {
        const { stdout, stderr } = spawnSync(program, run, {
          cwd: directory,
          input: JSON.stringify(delivery),
          encoding: 'utf8',
          env: { ...process.env, GO111MODULE: 'off', GOCACHE: path.join(directory, 'cache') },
        });
        return stdout.trim() || stderr;
      };
      const genuine = deliver('{"event":"signup.created","name":"Zoë"}');
      assert.equal(verdict(genuine), 'true');
      assert.equal(verdict({ ...genuine, body: genuine.body.replace('Zoë', 'Zoe') }), 'false');
      assert.equal(verdict({ ...genuine, secret: SECRET.replace('B', 'C') }), 'false');
      assert.equal(verdict(deliver('{}', new Date(Date.now() - 400_000))), 'false');
    });
  }
});
