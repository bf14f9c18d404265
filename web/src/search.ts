/** What can be in the query of an address: text, or several texts under one name. */
type Search = Record<string, string | string[] | undefined>;

/** Plain query parameters instead of the router's JSON, so that addresses read well. */
export function parseSearch(text: string): Search {
  const search = new Map<string, string | string[]>();
  for (const [name, value] of new URLSearchParams(text)) {
    const before = search.get(name);
    search.set(name, before === undefined ? value : [before, value].flat());
  }
  return Object.fromEntries(search);
}

export function stringifySearch(search: Record<string, unknown>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    for (const each of [value].flat()) {
      if (each !== undefined && each !== null && each !== '') query.append(name, String(each));
    }
  }
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

/** One text from the query, or undefined. */
export function textOf(value: unknown): string | undefined {
  const one = Array.isArray(value) ? value[0] : value;
  return typeof one === 'string' && one !== '' ? one : undefined;
}

/** One of a few texts from the query, or undefined. */
export function choiceOf<T extends string>(value: unknown, choices: readonly T[]): T | undefined {
  const text = textOf(value);
  return choices.find((choice) => choice === text);
}
