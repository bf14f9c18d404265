import { Context, Liquid, type Template } from 'liquidjs';
import type { Formats } from '../../languages/formats.ts';
import type { MailKind } from './kinds.ts';
import { VARIABLES } from './variables.ts';

const TEMPLATE_CHARACTERS_MAX = 20_000;
/**
 * Of processor time: the clock also runs while a busy machine does something else. A mail takes far less than a
 * millisecond. This stops templates that are designed to take long.
 */
const RENDER_MS_MAX = 200;
const MEMORY_MAX = 1_000_000;
const OUTPUT_CHARACTERS_MAX = 100_000;

/** No loops, files or captures: nothing that takes long, reaches outside, or bypasses the escaping. */
const TAGS = ['if', 'unless', 'case', 'assign', 'comment', 'raw'];
/** Without `raw`, which would turn off the escaping. */
const FILTERS = [
  ...['default', 'upcase', 'downcase', 'capitalize', 'strip', 'truncate', 'append', 'prepend'],
  ...['date', 'plus', 'minus', 'size'],
];

/** A mail of this kind is useless without one of these. */
const NEEDED: Partial<Record<MailKind, readonly string[]>> = {
  confirm: ['confirmLink'],
  invite: ['joinLink', 'inviteCode'],
  'invite-reminder': ['joinLink', 'inviteCode'],
  'data-download': ['downloadLink'],
  'data-deletion': ['deletionLink'],
};

export interface ValueMarker {
  /** The placeholder for a value in the text. */
  mark(value: unknown): string;
}

let current: { into: ValueMarker; formats: Formats } | undefined;

/** Rendering is synchronous, so what is set at its start applies until its end. */
const engine = new Liquid({
  ownPropertyOnly: true,
  strictFilters: true,
  templates: {},
  outputEscape: (value) => current?.into.mark(value) ?? '',
  timezoneOffset: 0,
  locale: 'en-GB',
  parseLimit: TEMPLATE_CHARACTERS_MAX,
  memoryLimit: MEMORY_MAX,
});
for (const name of Object.keys(engine.tags)) if (!TAGS.includes(name)) delete engine.tags[name];
for (const name of Object.keys(engine.filters)) if (!FILTERS.includes(name)) delete engine.filters[name];

type Filter = (this: unknown, ...values: unknown[]) => unknown;

/** A group of values has no text of its own, so it counts as missing. Arrays are named arguments of filters. */
for (const name of FILTERS) {
  const filter = engine.filters[name] as Filter;
  engine.filters[name] = function (...values: unknown[]) {
    return filter.apply(
      this,
      values.map((value) => (isGroup(value) ? null : value)),
    );
  };
}

function isGroup(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Writes a number as the language of the mail does: `12,345` or `12.345`. */
engine.registerFilter('number', (value: unknown) =>
  typeof value === 'number' ? current?.formats.number(value) : value,
);

export function parseTemplate(text: string): Template[] {
  return engine.parse(text);
}

export function renderTemplate(
  template: Template[],
  values: object,
  into: ValueMarker,
  formats: Formats,
): string {
  formats.prepare();
  const before = current;
  current = { into, formats };
  try {
    const text = String(engine.renderSync(template, contextOf(values)));
    if (text.length > OUTPUT_CHARACTERS_MAX) throw new Error('the mail is too long');
    return text;
  } finally {
    current = before;
  }
}

/** The engine asks its limit before each part of a template, and tells it the time, which does not count here. */
function contextOf(values: object): Context {
  const context = new Context(values, engine.options, { sync: true }, { liquid: engine });
  const startedAt = processorMs();
  context.renderLimit.check = () => {
    if (processorMs() - startedAt > RENDER_MS_MAX) throw new Error('takes too long to render');
  };
  return context;
}

/** Of this thread alone. Rendering never waits, so all of it is the template's. */
function processorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

export interface LiquidProblem {
  message: string;
  /** Starting at 1. */
  line: number | null;
}

/** Describes what is wrong with a template of this kind, for its author. */
export function templateProblems(kind: MailKind, text: string): LiquidProblem[] {
  if (text.length > TEMPLATE_CHARACTERS_MAX)
    return [{ message: `is longer than ${TEMPLATE_CHARACTERS_MAX} characters`, line: null }];
  try {
    const { globals } = engine.analyzeSync(parseTemplate(text));
    const used = Object.values(globals).flat();
    const found = new Map<string, LiquidProblem>();
    for (const { segments, location } of used) {
      const message = variableProblem(kind, segments.map(String));
      if (message !== undefined && !found.has(message)) found.set(message, { message, line: location.row });
    }
    return [...found.values()];
  } catch (error) {
    return [inWords((error as Error).message)];
  }
}

/** The engine ends its messages with the place, as in "tag {% if a %} not closed, line:3, col:1". */
function inWords(text: string): LiquidProblem {
  const [first = ''] = text.split('\n');
  const [, message, line] = /^(.*), line:([0-9]+), col:[0-9]+$/.exec(first) ?? [];
  const sentence = (message ?? first)
    .replace(/ not closed$/, ' is not closed')
    .replace(/^Maximum call stack size exceeded$/, 'is nested too deeply');
  return { message: sentence, line: line === undefined ? null : Number(line) };
}

function variableProblem(kind: MailKind, [root = '', ...rest]: string[]): string | undefined {
  const names = VARIABLES[kind].map(({ name }) => name);
  if (!names.includes(root))
    return `there is no {{ ${root} }} in this kind of mail; there are ${names.join(', ')}`;
  if (root === 'metadata' && rest.length === 0)
    return 'metadata: name one of its fields, as in metadata.firstName';
  if (root !== 'metadata' && rest.length > 0) return `{{ ${root} }} has no fields`;
  return undefined;
}

/** The variables of which the template must use one, or undefined if it does. */
export function missingVariable(kind: MailKind, text: string): string | undefined {
  const needed = NEEDED[kind];
  if (!needed) return undefined;
  const used = engine.globalVariablesSync(parseTemplate(text));
  return needed.some((name) => used.includes(name))
    ? undefined
    : needed.map((name) => `{{ ${name} }}`).join(' or ');
}
