import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';

const HERE = new URL('.', import.meta.url).href;
/** May be collected: a large one takes 30 MB, and is read again in a tenth of a second. */
const maps = new Map<string, WeakRef<SourceMap>>();

/**
 * Stack traces of the program that a checkout builds have the names and lines of the sources. The maps are read when a trace
 * is; with `--enable-source-maps`, Node would read all of them at each start, which takes it a quarter longer.
 */
if (!process.sourceMapsEnabled)
  Error.prepareStackTrace = (error, frames) =>
    [headOf(error), ...frames.map((frame) => `    at ${inSources(frame)}`)].join('\n');

function headOf(error: Error): string {
  try {
    return Error.prototype.toString.call(error);
  } catch {
    return '<error>';
  }
}

function inSources(frame: NodeJS.CallSite): string {
  const [file, line, column] = [frame.getFileName(), frame.getLineNumber(), frame.getColumnNumber()];
  if (!file?.startsWith(HERE) || line === null || column === null) return `${frame}`;
  const origin = mapOf(file)?.findOrigin(line, column);
  if (origin === undefined || !('fileName' in origin)) return `${frame}`;
  const { fileName, lineNumber, columnNumber } = origin;
  return `${frame}`
    .replace(`${file}:${line}:${column}`, `${new URL(fileName, file)}:${lineNumber}:${columnNumber}`)
    .replace(/^[^(]*(?= \()/, (name) => name.replace(/\$\d+/g, '')); // The bundler tells names of a kind apart.
}

function mapOf(file: string): SourceMap | undefined {
  const known = maps.get(file)?.deref();
  if (known) return known;
  try {
    const map = new SourceMap(JSON.parse(readFileSync(new URL(`${file}.map`), 'utf8')));
    maps.set(file, new WeakRef(map));
    return map;
  } catch {
    return undefined; // Whoever reads a trace needs it all the more when files are missing.
  }
}
