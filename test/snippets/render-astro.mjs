import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { transform } from '@astrojs/compiler';

const [, , file] = process.argv;
const runtime = path.join(import.meta.dirname, 'astro-runtime.mjs');
const { code } = await transform(await readFile(file, 'utf8'), { internalURL: runtime });
// It imports more names than it uses, and more than our runtime has.
const lenient = code.replace(
  /import \{([^}]+)\} from (.+);/,
  (_, names, from) => `import * as astro from ${from};\nconst {${names.replaceAll(' as ', ': ')}} = astro;`,
);
await writeFile(`${file}.mjs`, lenient);
const { default: render } = await import(`${file}.mjs`);
process.stdout.write(render({}, {}, {}));
