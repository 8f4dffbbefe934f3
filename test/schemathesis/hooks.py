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
            case.body.pop("pageToken", None)
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
    if "ids" in query:
        for name in set(query) - {"ids"}:
            del query[name]
    if "page" in query and path in REACH:
        # Numbers may have been converted to texts for the URL already.
        last_page = -(-REACH[path] // int(query.get("limit", 20)))
        query["page"] = type(query["page"])(min(int(query["page"]), last_page))
    if query.get("sort", "relevance") == "relevance" and path.endswith("/search"):
        query.pop("order", None)
