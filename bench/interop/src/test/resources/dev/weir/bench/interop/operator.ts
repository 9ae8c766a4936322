// A client of the API for operators, by the types that openapi-typescript makes of its description:
// gives a user a tier, and prints a line of JSON for each answer.
import createClient from "openapi-fetch";
import type { components, paths } from "./api.js";

declare const process: { argv: string[] };

const [baseUrl, token] = process.argv.slice(2);
const weir = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${token}` } });
const ann = { path: { id: "ann/1" } };

const rules: components["schemas"]["RuleSet"] = {
  rules: [{ id: "api", key: "header:x-user-id", limit: "9/365d", tiers: { premium: "20/365d" } }],
  users: { identity: "header:x-user-id", tiers: ["free", "premium"] },
};
const pushed = await weir.PUT("/rules", {
  params: { header: { "If-None-Match": "*" }, query: { wait: "9s", reason: "first" } },
  body: rules,
});
print(pushed.response.status, pushed.data?.sidecars?.using);

const created = await weir.PUT("/users/{id}", {
  params: { ...ann, header: { "If-None-Match": "*" } },
  body: { tier: "premium" },
});
print(created.response.status, created.data?.record.tier);

const limits = await weir.GET("/users/{id}/limits", { params: ann });
print(limits.response.status, limits.data?.limits[0].limit, limits.data?.limits[0].said_by);

const stale = await weir.PUT("/users/{id}", {
  params: { ...ann, header: { "If-None-Match": "*" } },
  body: { tier: "free" },
});
print(stale.response.status, stale.error?.["written-by"], stale.error?.etag === created.data?.etag);

const faulty = await weir.PUT("/users/{id}/tier", {
  params: { ...ann, header: { "If-Match": `"${created.data?.etag}"` } },
  body: "gold",
});
print(faulty.response.status, faulty.error?.errors?.[0].found, faulty.error?.errors?.[0].expected);

// @ts-expect-error: a member that there is not must not compile.
print(created.data?.plan ?? null);

function print(...values: unknown[]) {
  console.log(JSON.stringify(values));
}
