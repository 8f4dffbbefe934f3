"""Rules between parameters, which OpenAPI 3.1 cannot express: a valid case must keep them."""

import schemathesis
from schemathesis import GenerationMode

# Number of rows that pages reach.
REACH = {"/api/skills": 10_000, "/api/v1/skills": 10_000, "/api/v1/skills/search": 1_000}


@schemathesis.hook
def map_case(context, case):
    if case.meta is not None and case.meta.generation.mode == GenerationMode.POSITIVE:
        obey(case.operation.path, case.query or {})
        if isinstance(case.body, dict):
            obey(case.operation.path, case.body)
            obey_in_body(case.operation.path, case.body)
    return case


@schemathesis.hook
def before_call(context, case, kwargs):
    for name, value in (case.path_parameters or {}).items():
        # Links of the index are templates.
        if "{" in str(value) or "%7B" in str(value):
            case.path_parameters[name] = "unknown"


def obey(path, query):
    # Only the service can create valid cursors and sequences.
    query.pop("cursor", None)
    query.pop("pageToken", None)
    if path == "/agents" and "filter" in query:
        # A small language of its own.
        query["filter"] = "tags = 'pdf' AND updatedAfter > '2026-01-31'"
    if "ids" in query:
        for name in set(query) - {"ids"}:
            del query[name]
    if query.get("page") is not None and path in REACH:
        # Numbers may have been converted to texts for the URL already.
        last_page = -(-REACH[path] // int(query.get("limit") or 20))
        query["page"] = type(query["page"])(min(int(query["page"]), last_page))
    if query.get("mode") == "semantic":
        query.pop("sort", None)
    if query.get("sort", "relevance") == "relevance" and path.endswith("/search"):
        query.pop("order", None)


def obey_in_body(path, body):
    asked = body.get("query")
    if path == "/explore":
        # Most fields are counted of a text only.
        body["query"] = asked = {**(asked or {}), "text": (asked or {}).get("text") or "pdf"}
    if path in ("/explore", "/search") and asked.get("filter"):
        # Several values of several fields are refused, and by /explore those of one.
        one = {name: value[:1] if isinstance(value, list) else value for name, value in asked["filter"].items()}
        asked["filter"] = one
