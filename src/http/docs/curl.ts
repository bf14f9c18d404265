import type { Operation, Parameter } from './document.ts';

/** Replaced with the installation's address when the page is sent. */
export const BASE = '{base}';

/** A command to paste into a shell that has the server key in KEY, the admin token in TOKEN or the cookie in SESSION. */
export function curlOf(
  path: string,
  method: string,
  { parameters = [], security, requestBody }: Operation,
): string {
  const url = parameters
    .filter((parameter) => parameter.in === 'path')
    .reduce(
      (text, parameter) => text.replace(`{${parameter.name}}`, encodeURIComponent(exampleOf(parameter))),
      path,
    );
  const lines = [`curl ${quote(BASE + url)}`];
  const schemes = security.flatMap(Object.keys);
  if (schemes.includes('adminToken')) lines.push('-H "Authorization: Bearer $TOKEN"');
  else if (schemes.includes('session')) lines.push('-b "doorlist=$SESSION"');
  else if (schemes.length > 0) lines.push('-H "Authorization: Bearer $KEY"');
  const [body] = Object.values(requestBody?.content['application/json']?.examples ?? {});
  if (method !== 'get' && (!body || method !== 'post')) lines.push(`-X ${method.toUpperCase()}`);
  if (body) {
    lines.push("-H 'Content-Type: application/json'");
    lines.push(`-d ${quote(JSON.stringify(body.value, null, 2))}`);
  }
  const file = Object.keys(requestBody?.content ?? {}).find((type) => type !== 'application/json');
  if (file) lines.push(`-H 'Content-Type: ${file}' --data-binary @FILE`);
  return lines.join(' \\\n  ');
}

function exampleOf({ example, examples = {} }: Parameter): string {
  return String(example ?? Object.values(examples)[0]?.value ?? '');
}

/** For a POSIX shell, where only a quote needs escaping inside single quotes. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
