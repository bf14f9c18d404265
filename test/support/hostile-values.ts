import type { Document, Parameter, Schema } from '../../src/http/docs/document.ts';
import { operationsOf, type Place } from './documented.ts';

/** Marks of two classes in turn, which normalizing has to sort: it takes time that grows with the square. */
const marks = (units: number) => 'a\u0316\u0301'.repeat(units / 3);

const manyKeys = (count: number) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, n])));

/** As JSON, because some of it is what no value of JavaScript is written as. */
export const HOSTILE_JSON: Readonly<Record<string, string>> = {
  'a NUL': '"a\\u0000b"',
  'a lone surrogate': '"a\\ud800b"',
  '2^53': '9007199254740992',
  '-2^53': '-9007199254740992',
  '1e308': '1e308',
  'minus zero': '-0',
  'a megabyte of marks': JSON.stringify(marks(500_000)),
  'many dots': JSON.stringify('.'.repeat(100_000)),
  'many elements': JSON.stringify(Array.from({ length: 4_000 }, (_, n) => `x${n}`)),
  'many keys': manyKeys(4_000),
  // Some bodies may be as large as that. Others are refused by their length.
  'a hundred thousand elements': JSON.stringify(Array.from({ length: 100_000 }, (_, n) => `x${n}`)),
  'a hundred thousand keys': manyKeys(100_000),
  'keys in many objects': JSON.stringify(Array(15).fill(JSON.parse(manyKeys(4_000)))),
};

/** In an address, which is at most 16 KiB. */
export const HOSTILE_WORDS: Readonly<Record<string, string>> = {
  'a NUL': '%00',
  'a lone surrogate': '%ED%A0%80',
  '2^53': '9007199254740992',
  '1e308': '1e308',
  'minus zero': '-0',
  marks: encodeURIComponent(marks(2_400)),
  dots: '.'.repeat(12_000),
};

export interface HostileRequest {
  what: string;
  method: string;
  url: string;
  rawBody?: string;
  /** Whether it is long enough to cost something. */
  isLong: boolean;
}

/**
 * Every operation, with every parameter and every field of its body replaced in turn. What it is about exists, so those
 * that delete come last.
 */
export function* hostileRequests(
  document: Document,
  existing: Readonly<Record<string, string>>,
): Generator<HostileRequest> {
  const rank = ({ method }: Place) => (method.toUpperCase() === 'DELETE' ? 1 : 0);
  for (const place of operationsOf(document).toSorted((a, b) => rank(a) - rank(b))) {
    const method = place.method.toUpperCase();
    const { operationId, parameters = [] } = place.operation;
    const addressed = parameters.filter((parameter) => parameter.in === 'path' || parameter.in === 'query');
    const body = exampleOf(place);
    const rawBody = body === undefined ? {} : { rawBody: JSON.stringify(body) };
    for (const { name } of addressed)
      for (const [called, word] of Object.entries(HOSTILE_WORDS)) {
        const url = addressOf(place, addressed, existing, { [name]: word });
        yield { what: `${operationId} with ${called} as ${name}`, method, url, ...rawBody, isLong: false };
      }
    if (body === undefined) continue;
    const url = addressOf(place, addressed, existing, {});
    for (const path of fieldsOf(document, place, body))
      for (const [called, json] of Object.entries(HOSTILE_JSON)) {
        const what = `${operationId} with ${called} as ${path.join('.') || 'body'}`;
        yield { what, method, url, rawBody: withJson(body, path, json), isLong: json.length > 1_000 };
      }
  }
}

function addressOf(
  { path }: Place,
  parameters: readonly Parameter[],
  existing: Readonly<Record<string, string>>,
  words: Record<string, string>,
): string {
  const given = (name: string) => words[name] ?? existing[name] ?? 'none';
  const where = path.replace(/\{(\w+)\}/g, (_, name: string) => given(name));
  const query = Object.entries(words).filter(([name]) =>
    parameters.some((each) => each.name === name && each.in === 'query'),
  );
  // A stream that is let in would not end; one of an unknown waitlist does.
  if (path.endsWith('/stream') && !('waitlist' in words)) query.push(['waitlist', 'wl_none']);
  return query.length === 0 ? where : `${where}?${query.map(([name, word]) => `${name}=${word}`).join('&')}`;
}

function exampleOf({ operation }: Place): unknown {
  const [example] = Object.values(operation.requestBody?.content['application/json']?.examples ?? {});
  return example?.value;
}

type Path = (string | number)[];

/** The body itself, all of its fields, and those inside of its example. */
function fieldsOf(document: Document, { operation }: Place, body: unknown): Path[] {
  const schema = operation.requestBody?.content['application/json']?.schema;
  const named =
    schema?.$ref === undefined ? schema : document.components.schemas[schema.$ref.split('/').at(-1) ?? ''];
  const own = Object.keys((named as Schema | undefined)?.properties ?? {}).map((name): Path => [name]);
  const paths = [[], ...own, ...leavesOf(body)];
  return [...new Map(paths.map((path) => [path.join('/'), path])).values()];
}

function leavesOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return path.length > 0 ? [path] : [];
  const inside = Array.isArray(value) ? value.slice(0, 1).entries() : Object.entries(value);
  return [...inside].flatMap(([key, each]) => leavesOf(each, [...path, key]));
}

const MARK = '@hostile@';

function withJson(body: unknown, path: Path, json: string): string {
  const copy = structuredClone({ body });
  let at = copy as Record<string | number, unknown>;
  const whole: Path = ['body', ...path];
  for (const key of whole.slice(0, -1)) at = at[key] as typeof at;
  at[whole.at(-1) as string] = MARK;
  return JSON.stringify(copy.body).replace(`"${MARK}"`, () => json);
}
