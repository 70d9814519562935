// Plays through the MCP door with the official TypeScript client: `node mcp_client.mjs URL`; prints what it met as JSON.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const client = new Client({ name: "test", version: "1" });
await client.connect(new StreamableHTTPClientTransport(new URL(process.argv[2])));
const call = (name, args) => client.callTool({ name, arguments: args });
const errorOf = async (name, args) => {
  const answer = await call(name, args);
  if (!answer.isError) throw new Error(JSON.stringify(answer));
  return answer.content[0].text;
};

const met = { tools: (await client.listTools()).tools.map((tool) => tool.name).sort(), decisions: 0, errors: [] };
met.errors.push(await errorOf("act", { turn_token: "none", kind: "fold" }));
met.errors.push(await errorOf("act", {}));
met.errors.push(await errorOf("next_turn", { wait_s: "soon" }));
let found = (await call("next_turn", { wait_s: 45 })).structuredContent;
while (!found.over) {
  if (!found.turn) {
    found = (await call("next_turn", { wait_s: 45 })).structuredContent;
    continue;
  }
  const { turn_token, observation } = found.turn;
  if (!met.decisions) met.errors.push(await errorOf("act", { turn_token, kind: "raiseTo", amount: 3 }));
  found = (await call("act", { turn_token, kind: observation.legal[1].kind, wait_s: 45 })).structuredContent;
  if (found.verdict !== "taken") throw new Error(JSON.stringify(found));
  met.decisions += 1;
}
met.over = found.over.reason;
await client.close();
console.log(JSON.stringify(met));
