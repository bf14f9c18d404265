import { globSync } from 'node:fs';
import { copyFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Plugin, type RolldownOutput, rolldown } from 'rolldown';

const ROOT = path.join(import.meta.dirname, '..');
/** Where `bin/doorlist` finds the program in a package. */
export const PROGRAM_DIRECTORY: string = path.join(ROOT, 'dist');
export const ENTRIES: Readonly<Record<string, string>> = {
  main: 'src/main.ts',
  // Threads are loaded by name, from beside the module that starts them.
  'writer-thread': 'src/db/sqlite/writer-thread.ts',
  'checkpoint-thread': 'src/db/sqlite/checkpoint-thread.ts',
  'template-thread': 'src/mail/templates/template-thread.ts',
  'request-thread': 'src/server/request-thread.ts',
};
/** Files that the program reads from beside itself. */
export const FILES: readonly string[] = ['src/http/form/form-script.js', 'src/http/form/status-script.js'];
/** Machine code, what is not installed, and a list that is loaded by `require` when it is needed. */
export const EXTERNAL: readonly string[] = ['sodium-native', 'pg-native', 'disposable-email-domains-js'];

/** First of all that each thread loads. */
const TRACING = 'stack-traces';

interface BuildOptions {
  otherEntries?: Readonly<Record<string, string>>;
  /** Its stack traces name the sources, which are there in a checkout. */
  isTraced?: boolean;
}

/**
 * The program as JavaScript, with the packages that it uses: a few files instead of two thousand, which takes three
 * quarters off the time of a start. The directory must be in the root of the project, where the program looks for
 * the dashboard.
 */
export async function buildProgram(
  directory: string,
  { otherEntries = {}, isTraced = false }: BuildOptions = {},
): Promise<void> {
  const tracing = isTraced ? { [TRACING]: 'build/stack-traces.ts' } : {};
  const entries = Object.entries({ ...ENTRIES, ...otherEntries, ...tracing });
  const bundle = await rolldown({
    input: Object.fromEntries(entries.map(([name, file]) => [name, path.join(ROOT, file)])),
    cwd: ROOT,
    platform: 'node',
    external: [...EXTERNAL],
    plugins: [lightHttp],
    logLevel: 'silent',
  });
  const fresh = `${directory}.${process.pid}`;
  try {
    await rm(fresh, { recursive: true, force: true });
    await mkdir(fresh);
    const output = await bundle.write({
      dir: fresh,
      format: 'esm',
      entryFileNames: '[name].js',
      sourcemap: isTraced,
      sourcemapExcludeSources: true,
      banner: ({ isEntry, name }) =>
        isTraced && isEntry && name !== TRACING ? `import './${TRACING}.js';` : '',
    });
    await bundle.close();
    for (const file of FILES) await copyFile(path.join(ROOT, file), path.join(fresh, path.basename(file)));
    await writeFile(path.join(fresh, 'LICENSES.txt'), await licencesOf(output));
    await rm(directory, { recursive: true, force: true });
    await rename(fresh, directory);
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

/**
 * An `import` of `node:http` reads everything that the module has, and so loads an HTTP client that we do not use: 40 ms
 * and 16 MB of every start (https://github.com/nodejs/node/issues/59686). A `require` does not.
 */
const lightHttp: Plugin = {
  name: 'light-http',
  resolveId: (id, _, { kind }) =>
    kind === 'import-statement' && /^(node:)?https?$/.test(id) ? `${REQUIRED}${id}` : undefined,
  load: (id) => (id.startsWith(REQUIRED) ? requiring(id.slice(REQUIRED.length)) : undefined),
};
const REQUIRED = '\0required:';

/** The source of a module that has what a module of Node has, without what that one would load when asked for it. */
function requiring(name: string): string {
  const properties = Object.getOwnPropertyDescriptors(process.getBuiltinModule(name) ?? {});
  const plain = Object.entries<PropertyDescriptor>(properties).filter(([, { get }]) => get === undefined);
  return `import { createRequire } from 'node:module';
    const required = createRequire(import.meta.url)('${name}');
    export default required;
    export const { ${plain.map(([key]) => key).join(', ')} } = required;`;
}

/** Their authors ask for it: whoever gets their code gets their licence. */
async function licencesOf({ output }: RolldownOutput): Promise<string> {
  const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
  const packages = new Set(
    modules.flatMap((id) => /.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []),
  );
  const texts = [...packages].sort().map(async (directory) => {
    const { name, version, license } = JSON.parse(
      await readFile(path.join(directory, 'package.json'), 'utf8'),
    ) as Record<string, string>;
    const [file] = globSync('{LICENSE,LICENCE,license,licence,COPYING}*', { cwd: directory });
    const text = file ? await readFile(path.join(directory, file), 'utf8') : `Licensed as ${license}.`;
    return `${name} ${version}\n\n${text.trim()}\n`;
  });
  return (await Promise.all(texts)).join(`\n${'-'.repeat(80)}\n\n`);
}
