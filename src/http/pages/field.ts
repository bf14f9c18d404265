import { type Html, html } from '../docs/html.ts';

export function labelled(
  name: string,
  label: Html | string,
  problem: string | undefined,
  input: (attributes: Html) => Html,
): Html {
  const attributes = html` id="dl-${name}"${problem !== undefined && html` aria-invalid="true" aria-describedby="dl-${name}-problem"`}`;
  return html`<div class="field"><label for="dl-${name}" dir="auto">${label}</label>${input(attributes)}${problemHtml(name, problem)}</div>`;
}

export function problemHtml(name: string, problem: string | undefined): Html | undefined {
  return problem === undefined ? undefined : html`<p class="problem" id="dl-${name}-problem">${problem}</p>`;
}
