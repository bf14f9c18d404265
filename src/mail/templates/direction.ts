const TAGS = /\{\{.*?\}\}|\{%.*?%\}/gs;
const RIGHT_TO_LEFT =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;

/** By the first letter that its author wrote. What people signed up with does not turn it around. */
export function directionOf(template: string): 'ltr' | 'rtl' {
  const [letter = ''] = /\p{L}/u.exec(template.replace(TAGS, '')) ?? [];
  return RIGHT_TO_LEFT.test(letter) ? 'rtl' : 'ltr';
}
