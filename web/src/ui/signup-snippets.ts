import type { Snippet } from './code-block.tsx';

/** Signs one person up, in the languages that most backends are written in. The key is in the environment. */
export function signupSnippets(origin: string, waitlistId: string): Snippet[] {
  const url = `${origin}/sdk/v1/waitlist/signup`;
  return [
    {
      language: 'curl',
      code: `curl ${url} \\
  -H "Authorization: Bearer $DOORLIST_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{"waitlistId":"${waitlistId}","entries":[{"email":"ada@example.com"}]}'`,
    },
    {
      language: 'Node',
      code: `const response = await fetch('${url}', {
  method: 'POST',
  headers: {
    Authorization: \`Bearer \${process.env.DOORLIST_KEY}\`,
    'Content-Type': 'application/json',
  },
  body: JSON.stringify({ waitlistId: '${waitlistId}', entries: [{ email: 'ada@example.com' }] }),
});
console.log(await response.json());`,
    },
    {
      language: 'Python',
      code: `import json, os, urllib.request

request = urllib.request.Request(
    "${url}",
    data=json.dumps({"waitlistId": "${waitlistId}", "entries": [{"email": "ada@example.com"}]}).encode(),
    headers={
        "Authorization": f"Bearer {os.environ['DOORLIST_KEY']}",
        "Content-Type": "application/json",
    },
)
print(json.load(urllib.request.urlopen(request)))`,
    },
    {
      language: 'Go',
      code: `package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
)

func main() {
	body := \`{"waitlistId":"${waitlistId}","entries":[{"email":"ada@example.com"}]}\`
	request, _ := http.NewRequest("POST", "${url}", strings.NewReader(body))
	request.Header.Set("Authorization", "Bearer "+os.Getenv("DOORLIST_KEY"))
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	answer, _ := io.ReadAll(response.Body)
	fmt.Println(string(answer))
}`,
    },
  ];
}
