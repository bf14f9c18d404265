import type { Snippet } from '../../ui/code-block.tsx';

const EMAIL = 'ada@example.com';

/** The first call to the API, ready to run. */
export function signupSnippets(origin: string, waitlistId: string, key: string): Snippet[] {
  const url = `${origin}/sdk/v1/waitlist/signup`;
  const body = `{ "waitlistId": "${waitlistId}", "entries": [{ "email": "${EMAIL}" }] }`;
  return [
    {
      language: 'curl',
      code: `curl ${url} \\
  -H "Authorization: Bearer ${key}" \\
  -H "Content-Type: application/json" \\
  -d '${body}'`,
    },
    {
      language: 'Node',
      code: `const response = await fetch('${url}', {
  method: 'POST',
  headers: {
    authorization: 'Bearer ${key}',
    'content-type': 'application/json',
  },
  body: JSON.stringify({
    waitlistId: '${waitlistId}',
    entries: [{ email: '${EMAIL}' }],
  }),
});
console.log(response.status, await response.json());`,
    },
    {
      language: 'Python',
      code: `import json
import urllib.request

request = urllib.request.Request(
    "${url}",
    data=json.dumps({
        "waitlistId": "${waitlistId}",
        "entries": [{"email": "${EMAIL}"}],
    }).encode(),
    headers={
        "Authorization": "Bearer ${key}",
        "Content-Type": "application/json",
    },
)
with urllib.request.urlopen(request) as response:
    print(response.status, json.load(response))`,
    },
    {
      language: 'Go',
      code: `package main

import (
	"fmt"
	"io"
	"net/http"
	"strings"
)

func main() {
	body := strings.NewReader(\`${body}\`)
	request, _ := http.NewRequest("POST", "${url}", body)
	request.Header.Set("Authorization", "Bearer ${key}")
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	fmt.Println(response.Status, string(text))
}`,
    },
  ];
}
