import type { ApiError } from '../../api/client.ts';

/** What the API said about each setting, as in "fields[0].name: is used twice; redirectUrl: must be …". */
export function problemsOf(error: ApiError | undefined): Map<string, string> {
  const problems = new Map<string, string>();
  for (const part of error?.message.split('; ') ?? []) {
    const [, path = '', reason] = /^([a-zA-Z][\w.[\]]*): (.+)$/s.exec(part) ?? [];
    const text = reason ?? part;
    const sentence = `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
    problems.set(path, problems.has(path) ? `${problems.get(path)} ${sentence}` : sentence);
  }
  return problems;
}
